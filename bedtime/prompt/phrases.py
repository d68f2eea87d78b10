"""What the words of a form mean to a storyteller."""

import re
from collections.abc import Mapping

AGES: Mapping[str, str] = {"2-3": "2 or 3", "4-5": "4 or 5", "6-7": "6 or 7", "8-10": "8 to 10"}

PRONOUNS: Mapping[str, str] = {"she": "she, her", "he": "he, him", "they": "they, them, one child"}

WORDS: Mapping[str, str] = {
    "2-3": "sentences of 5 to 8 words, two or three to a paragraph. Name only things that can be pointed at. One short "
    "line comes back, word for word, three or four times, each time a little more quietly.",
    "4-5": "sentences of 8 to 11 words, three or four to a paragraph, in plain words. One word may be new, and what "
    "happens makes it clear. Put in sounds that are fun to make, and a question that somebody answers.",
    "6-7": "sentences of 9 to 14 words, four or five to a paragraph. Verbs may be rich. There is one joke that the "
    "listener sees coming before the characters do.",
    "8-10": "sentences of 11 to 17 words, five or six to a paragraph, and the precise word for each thing. A second "
    "thread runs beside the first and is tied into it before the end.",
}

PLOTS: Mapping[str, str] = {
    "2-3": "one thing at a time, in one place",
    "4-5": "a trouble, three tries, and a turn that can be guessed at",
    "6-7": "a plan that goes wrong once before it goes right",
    "8-10": "a small mystery whose clues are laid fairly, with a second thread",
}

MOODS: Mapping[str, str] = {
    "calm": "calm. There is time for everything, and small things are wonders; something happens all the same.",
    "funny": "funny. One running joke, told with a straight face, that comes back twice, each time smaller; by the last "
    "third the laughing has turned into smiling.",
    "adventure": "an adventure of bedtime size. Out of the door, one brave thing done, and home again; brave, and never "
    "in danger.",
    "very_sleepy": "very sleepy. It is late from the first line on. Little is at stake, everyone yawns, sentences are "
    "slow and come in pairs, and whatever can lie down lies down.",
}

REACTIONS: Mapping[str, str] = {  # with room for which story it was, and for what only a story of its own has to do
    "loved it": "They loved {story}: keep how it felt{anew}.",
    "too scary": "They found {story} too scary: tonight nothing is dark, lost or unknown for longer than a sentence, a "
    "friend is near from the first paragraph on, and everyone can be seen to be safe.",
    "too long": "They found {story} too long: stay at the lower end of the length, with one event fewer.",
    "too babyish": "They found {story} too babyish: no baby words, no sing-song, a drier joke, and a trouble that takes "
    "some thinking.",
    "too hard": "They found {story} too hard: shorter sentences, plainer words, fewer people, and one place.",
}

_LANGUAGES: Mapping[str, str] = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "br": "Breton", "bs": "Bosnian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "de-at": "Austrian German", "de-ch": "German as written in Switzerland", "el": "Greek",
    "en": "English", "en-au": "Australian English", "en-gb": "British English", "en-us": "American English",
    "eo": "Esperanto", "es": "Spanish", "es-419": "Latin American Spanish", "es-mx": "Mexican Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fil": "Filipino", "fr": "French", "fr-ca": "Canadian French",
    "fy": "West Frisian", "ga": "Irish", "gd": "Scottish Gaelic", "gl": "Galician", "gsw": "Swiss German",
    "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "hy": "Armenian", "id": "Indonesian", "ig": "Igbo", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "ka": "Georgian", "kk": "Kazakh", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "ku": "Kurdish", "lb": "Luxembourgish",
    "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mi": "Māori", "mk": "Macedonian", "ml": "Malayalam",
    "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese", "my": "Burmese", "nb": "Norwegian Bokmål",
    "ne": "Nepali", "nl": "Dutch", "nl-be": "Flemish Dutch", "nn": "Norwegian Nynorsk", "no": "Norwegian",
    "pa": "Punjabi", "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "pt-br": "Brazilian Portuguese",
    "pt-pt": "European Portuguese", "rm": "Romansh", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak",
    "sl": "Slovenian", "so": "Somali", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "th": "Thai", "ti": "Tigrinya", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "yi": "Yiddish", "yo": "Yoruba", "yue": "Cantonese",
    "zh": "Chinese", "zh-hans": "Chinese in simplified characters", "zh-hant": "Chinese in traditional characters",
    "zh-hk": "Chinese in traditional characters", "zh-tw": "Chinese in traditional characters", "zu": "Zulu",
}  # fmt: skip
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")


def language_name(tag: str) -> str:
    """The plain name of a BCP 47 tag's language; the tag itself where the name is not known; English for no tag at all."""
    if not _TAG.fullmatch(tag):
        return "English"
    parts = tag.lower().split("-")
    known = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((_LANGUAGES[part] for part in known if part in _LANGUAGES), f"the language with the BCP 47 tag {tag}")
