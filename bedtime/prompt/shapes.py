"""The dozen shapes that a story can have; our code chooses, not the model."""

import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "lost-and-found": "A thing is lost and found again. The search turns up other things first, each of them of some "
        "use, and in the end it lies where somebody had put it to be safe.",
        "sound-in-the-night": "A sound in the night is followed to its cause. The guesses grow, the cause is small, and "
        "once it is known the sound is one to fall asleep by.",
        "cannot-sleep": "Somebody cannot sleep and asks the others how they do it. Each has a way that suits nobody "
        "else; what helps at last is made of a little of each.",
        "shy-one": "A shy one is met half-way. It comes nearer when nobody tries to make it, and what it had to give was "
        "there all the time.",
        "long-way-home": "It is a long way home. Each bend of the road holds somebody or something small, and each one "
        "makes the rest of the way a little shorter.",
        "gift-to-make": "A gift has to be made before morning, or before somebody wakes. The fine plan fails, and what is "
        "left over from it is the better present.",
        "mistake-put-right": "A mistake was made, an ordinary one. It is owned up to without a scene, and mending it "
        "leaves something better than before.",
        "guest": "A guest comes who does everything differently. The house bends a little, the guest bends a little, and "
        "at bedtime there is room.",
        "last-awake": "Everyone goes to sleep, one after another, and one is the last awake. That one sees what only the "
        "last one sees, puts a small thing in order, and goes too.",
        "swap": "Two who each think that the other has it better change places for an evening. It is funny, then it is "
        "tiring, and both are glad of their own bed.",
        "night-watch": "Somebody is to keep watch over a thing in the night. Small visitors come, each for a reason of "
        "its own, and the watch ends when the thing turns out to need no watching.",
        "there-and-back": "A journey, no farther than can be walked in slippers or dreamed in a minute, which ends where "
        "it began; and there something looks different.",
    }
)


def choose_shape(recent: Sequence[str], *, seed: int) -> str:
    """One that is not among `recent` (newest first); when all are, the one that was told longest ago."""
    fresh = [shape for shape in SHAPES if shape not in recent]
    if fresh:
        return random.Random(seed).choice(fresh)
    return max(SHAPES, key=list(recent).index)
