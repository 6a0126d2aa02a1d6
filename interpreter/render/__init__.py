"""Text for people: names in their language, runs, sheets, problems. Each module is loaded by who needs it."""
