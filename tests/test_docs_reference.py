"""What the prose of the reference says of the language is so: one rule set that does all of it."""

from __future__ import annotations

from pathlib import Path

from interpreter.examples import play_examples
from interpreter.loader import load

RULES = """\
format: 1
system: {id: claims, title: Claims}
tables:
  dangers: {columns: [label, target], rows: {low: [Low, 5], high: [High, 9], top: [Top, 11]}}
sheets:
  hero:
    stats: {skills: {keys: [climb, swim], range: 0..6}}
    gauges:
      health: {range: 0..10, start: 10}
      left: {range: 0..9, start: 1}
      right: {range: 0..9, start: 4}
      pools: {keys: [climb, swim], min: 0, max: "self.skills[each] + 1", start: max}
    fields: {boots: {text: ""}}
actions:
  look:
    who: {self: hero, foes: [hero]}
    inputs: {x: {int: 0..9}, danger: {key: table.dangers}}
    values:
      many: count(table.dangers, item.target > 7)
      inside: {base: 1 if 1 <= x <= 6 else 0, modifiers: {a: {multiply: 2}, b: {add: 3}, c: {set: 5, when: x == 9}}}
      half: x // 2
      rest: x % 2
      most: highest(foes.health, 0)
      summed: sum(self.skills)
      best_key: count(self.skills, key is climb and item > 1)
    steps:
      - set: {self.left: self.right, self.right: self.left}
      - roll: {throw: 2d6 + 3}
      - change: {self.health: -12}
        as: hurt
    report: [many, inside, half, rest, most, summed, best_key]
    outcomes:
      fine: {when: danger is low, grades: {very: {when: throw > 10}}}
      bad:
    after:
      - say: "{outcome}"
      - change: {self.right: 2}
        when: given(grade) and grade is very
triggers:
  fell: {upon: {gauge: hero.health, drops_to: 0}, do: [{set: {self.left: before - 1}}]}
  pool: {upon: {gauge: hero.pools, changes: down}, do: [{say: "{key}"}]}
examples:
  all:
    action: look
    sheets:
      self: {skills: {climb: 2, swim: 3}, health: {start: 10, now: 7}}
      foes: {a: {health: 3}, b: {health: 6}}
    inputs: {x: 5, danger: low}
    dice: {throw: [6, 3]}
    expect:
      many: 2
      inside: 8
      half: 2
      rest: 1
      most: 6
      summed: 5
      best_key: 1
      throw: 12
      outcome: very
      self.left: 6
      self.right: 3
      hurt.applied: -7
      hurt.under: 5
      self.pools.swim: 4
      self.health.max: 10
      self.health.start: 10
      self.health.min: 0
      "danger.target": 5
"""


def test_the_reference_says_what_is_so(tmp_path: Path) -> None:
    file = tmp_path / "claims.yaml"
    file.write_text(RULES, encoding="utf-8")
    rules = load(file)
    assert [problem.message for problem in rules.problems] == []
    assert rules.system is not None
    assert [finding.message for report in play_examples(rules.system) for finding in report.findings] == []
