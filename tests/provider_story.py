"""The story that the provider of the tests tells: always the same, about whoever it was asked for."""

import json
import re

STORY = """The Lamp Who Came Second

{name} found the lamp at the bottom of the garden, under the rhubarb, on the first evening that smelled of
leaves. It was a small lamp with a bent handle, and it was muttering.

"Nobody waits," said the lamp. "They all run ahead, and then they say that it is dark."

{name} sat down on the step. "I can wait," {name} said. "I am quite good at it. Where are you going?"

"To the end of the lane," said the lamp, "to show the hedgehogs where the gate is. They go home at seven, and
they never remember which side the gate is on."

So they went together. The lamp hopped and clanked, and {name} walked behind it, because it is hard to be lit
by somebody who is following you. At the first corner the lamp stopped to breathe. At the second corner it
stopped to look at a snail. At the third corner it went out.

"Oh," said the lamp in the dark. "That happens."

{name} thought about it. Then {name} blew very gently through the little door in the lamp's side, the way one
blows on soup, and inside it something small and orange opened one eye.

"More," said the lamp. {name} blew again, and the light stood up.

The hedgehogs were already there. They were walking along the wall in a row, left to right, and then right to
left, and every one of them was being polite about it. "After you," said the first. "No, no," said the last.
"After me, you would only be lost in front."

"The gate," said the lamp, "is here." It held itself up as high as a lamp with a bent handle can. There was
the gate, with its round hole at the bottom, just as wide as a hedgehog who has had supper.

They went in one by one. Each of them said thank you to the lamp, and the smallest said it to {name} as well,
and then came back out to say it again, and had to be shown the hole a second time.

On the way home nobody hurried. The lane was quiet, and the wall was still a little warm. The lamp shone on
the stones, then on the grass, then only on {name}'s two shoes.

Under the rhubarb it turned itself down, a little, and a little more. {name} set it straight and tucked a leaf
around it.

Then {name} went in, and up the stairs, and into bed, and left the curtain open by the width of one hand. Down
in the garden there was a light about as big as a pea. It waited until the window was dark. Then it closed its
eye.

***

Recap: {name} helped a slow lamp to light the hedgehogs home, and tucked it in under the rhubarb.

Cast: {name}; the lamp, who is slow and a little cross; the hedgehogs, who are polite."""


def story(body: bytes) -> str:
    """The story for a request: about the first name that its last message gives."""
    try:
        asked = str(json.loads(body)["messages"][-1]["content"])
    except (ValueError, LookupError, TypeError):
        asked = ""
    found = re.search(r"""(?im)\b(?:name|child|children|listener|leads|for)\W{1,4}((?-i:[A-Z])[^\W\d_]+)""", asked)
    return STORY.replace("\n", " ").replace("  ", "\n\n").format(name=found[1] if found else "Wren")
