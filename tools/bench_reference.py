"""Hand-written solutions that the benchmark compares the rules' own odds with: one game, no rule file, nothing general.

The duel: each round both throw 2d6 plus skill; the loser loses 2 stamina, and the hero may test luck (2d6 up to the
luck left, above 1) to lose 1 instead of 2 (3 when unlucky), or to wound for 4 instead of 2 (1 when unlucky). A test
costs one luck.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

WAYS_OF_2D6 = {total: 6 - abs(total - 7) for total in range(2, 13)}


def round_ways(difference: int) -> tuple[int, int]:
    """Of 1296 ways, those in which the hero wins a round, and in which the enemy does."""
    win = lose = 0
    for (mine, ways), (other, others) in product(WAYS_OF_2D6.items(), repeat=2):
        gap = mine + difference - other
        win += ways * others * (gap > 0)
        lose += ways * others * (gap < 0)
    return win, lose


def lucky_ways(luck: int) -> int:
    """Of 36 ways, those in which a test of luck succeeds."""
    return sum(ways for total, ways in WAYS_OF_2D6.items() if total <= luck) if luck > 1 else 0


def duel_table(difference: int, stamina: int, enemy: int, luck: int) -> dict[tuple[int, int, int], float]:
    """The best chance of victory by (stamina, enemy's stamina, luck), for all up to these."""
    win, lose = round_ways(difference)
    wins, loses = win / (win + lose), lose / (win + lose)
    lucky = [lucky_ways(left) / 36 for left in range(luck + 1)]
    value: dict[tuple[int, int, int], float] = {}
    for left in range(luck + 1):
        good, bad, after = lucky[left], 1 - lucky[left], max(left - 1, 0)
        for mine in range(stamina + 1):
            for other in range(enemy + 1):
                if mine == 0:
                    value[mine, other, left] = 0.0
                    continue
                if other == 0:
                    value[mine, other, left] = 1.0
                    continue
                wounding = value[mine, max(other - 2, 0), left]
                wounded = value[max(mine - 2, 0), other, left]
                if left > 0:
                    wounding = max(
                        wounding, good * value[mine, max(other - 4, 0), after] + bad * value[mine, other - 1, after]
                    )
                    wounded = max(
                        wounded, good * value[mine - 1, other, after] + bad * value[max(mine - 3, 0), other, after]
                    )
                value[mine, other, left] = wins * wounding + loses * wounded
    return value


def duel_table_exactly(difference: int, stamina: int, enemy: int, luck: int) -> dict[tuple[int, int, int], Fraction]:
    """The same in fractions."""
    win, lose = round_ways(difference)
    wins, loses = Fraction(win, win + lose), Fraction(lose, win + lose)
    lucky = [Fraction(lucky_ways(left), 36) for left in range(luck + 1)]
    value: dict[tuple[int, int, int], Fraction] = {}
    for left in range(luck + 1):
        good, bad, after = lucky[left], 1 - lucky[left], max(left - 1, 0)
        for mine in range(stamina + 1):
            for other in range(enemy + 1):
                if mine == 0:
                    value[mine, other, left] = Fraction(0)
                    continue
                if other == 0:
                    value[mine, other, left] = Fraction(1)
                    continue
                wounding = value[mine, max(other - 2, 0), left]
                wounded = value[max(mine - 2, 0), other, left]
                if left > 0:
                    wounding = max(
                        wounding, good * value[mine, max(other - 4, 0), after] + bad * value[mine, other - 1, after]
                    )
                    wounded = max(
                        wounded, good * value[mine - 1, other, after] + bad * value[max(mine - 3, 0), other, after]
                    )
                value[mine, other, left] = wins * wounding + loses * wounded
    return value


def duel(difference: int, stamina: int, enemy: int, luck: int) -> float:
    """The best chance of victory in one duel."""
    return duel_table(difference, stamina, enemy, luck)[stamina, enemy, luck]


def duel_exactly(difference: int, stamina: int, enemy: int, luck: int) -> Fraction:
    return duel_table_exactly(difference, stamina, enemy, luck)[stamina, enemy, luck]


def all_duels() -> int:
    """Every skill difference from -10 to 10, luck up to 12, staminas up to 24: how many states were solved."""
    return sum(
        sum(mine > 0 and other > 0 for mine, other, _ in duel_table(difference, 24, 24, 12))
        for difference in range(-10, 11)
    )
