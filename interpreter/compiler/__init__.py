"""Actions to programs, for the things in play: loops unrolled, calls and triggers written out, names become
registers."""

from interpreter.compiler.actions import compile_action, compile_creation
from interpreter.compiler.emitter import ProgramTooLarge

__all__ = ["ProgramTooLarge", "compile_action", "compile_creation"]
