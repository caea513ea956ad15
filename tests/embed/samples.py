"""Texts in many scripts, and thousands of odd ones made from them."""

from __future__ import annotations

import random

SENTENCES = (
    "How do I undo the last commit without losing my changes?",
    "The database connection pool is exhausted after 30 s; see src/store/pool.py:118.",
    "snake_case, camelCase, kebab-case, C++, C#, F#, v1.2.3, x86_64 and 0xDEADBEEF",
    "Naïve façade, cliché, Ångström, smörgåsbord — “quoted” text… and an en–dash",
    "Comment annuler le dernier commit sans perdre mes modifications ?",
    "Wie mache ich den letzten Commit rückgängig? Größe, Straße, ÄÖÜ, ẞ",
    "¿Cómo deshago el último commit sin perder los cambios? ¡Mañana!",
    "Come annullo l'ultimo commit? Perché è già così, però città",
    "Como desfazer o último commit? Informação, coração, não, você",
    "Hoe maak ik de laatste commit ongedaan? Één, ijs, IJsland",
    "Jak cofnąć ostatni commit? Zażółć gęślą jaźń",
    "Son commit'i nasıl geri alırım? İstanbul, ığüşöç, Iğdır",
    "Как отменить последний коммит, не потеряв изменений? Ёлка, объём",
    "كيف يمكنني التراجع عن آخر التزام؟ السَّلَامُ عَلَيْكُم ﷺ",
    "最後のコミットを取り消すにはどうすればいいですか？ﾊﾝｶｸ ｶﾅ ガギグ",
    "如何撤销最后一次提交而不丢失更改？数据库连接池",
    "如何復原最後一次提交而不遺失變更？資料庫連線池",
    "마지막 커밋을 취소하려면 어떻게 해야 하나요? 한글 조합",
    "ฉันจะยกเลิกคอมมิตล่าสุดได้อย่างไร โดยไม่สูญเสียการเปลี่ยนแปลง",
    "मैं अंतिम कमिट को कैसे पूर्ववत करूँ? क्षत्रिय, ज़िंदगी",
    "Πώς αναιρώ το τελευταίο commit; ᾳ ΐ Ὀδυσσεύς",
    "איך מבטלים את הקומיט האחרון? שָׁלוֹם",
    "Làm thế nào để hoàn tác commit cuối cùng? Tiếng Việt ộ ữ",
    "როგორ გავაუქმო ბოლო კომიტი; հայերեն; አማርኛ; ភាសាខ្មែរ; မြန်မာ",
    "👩‍👩‍👧‍👦 🇯🇵 👍🏽 🧑🏿‍🚀 ☃️ ♻ ① ㎏ ½ ﬁ ﬃ Ⅷ ℌ 𝒜𝓫𝔠 🄰",
    "ｆｕｌｌ　ｗｉｄｔｈ　１２３　ＡＢＣ，。！",
    "e\u0301 a\u0308 o\u0323\u0302 \u1112\u1161\u11ab か\u3099 は\u309a ᄀ\u1161 \u0e33",
    "tabs\tand\r\nlines\x0band\x0cfeeds\u2028and\u2029more\u00a0spaces\u3000here\u200bzero\ufeffwidth",
    "<s> </s> <unk> ▁▁a▁b▁ extra_token_id_1 <0x41>",
    "a\x00b \x01\x02\x1f\x7f \u0085 \ufffd \uffff \U0010fffd",
)

BLOCKS = (
    (0x00, 0x7F),
    (0x80, 0x24F),
    (0x250, 0x36F),
    (0x370, 0x5FF),
    (0x600, 0x7FF),
    (0x900, 0xDFF),
    (0xE00, 0x10FF),
    (0x1100, 0x13FF),
    (0x1E00, 0x20FF),
    (0x2100, 0x2FFF),
    (0x3000, 0x33FF),
    (0x3400, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFFFF),
    (0x10000, 0x1FFFF),
    (0x20000, 0x10FFFF),
)


def many(count: int, seed: int = 20) -> list[str]:
    """That many texts: the sentences, mixtures of their parts, and runs of characters of one or several blocks."""
    chance = random.Random(seed)
    texts = list(SENTENCES)
    while len(texts) < count:
        kind = chance.random()
        if kind < 0.4:
            words = chance.choice(SENTENCES).split(" ") + chance.choice(SENTENCES).split(" ")
            chance.shuffle(words)
            texts.append(chance.choice((" ", "  ", "", "\n")).join(words[: chance.randint(1, 12)]))
        elif kind < 0.6:
            text = chance.choice(SENTENCES)
            start = chance.randrange(len(text))
            texts.append(text[start : start + chance.randint(1, 25)])
        elif kind < 0.8:
            low, high = chance.choice(BLOCKS)
            texts.append("".join(chr(chance.randint(low, high)) for _ in range(chance.randint(1, 30))))
        else:
            blocks = [chance.choice(BLOCKS) for _ in range(chance.randint(1, 20))]
            texts.append(
                "".join(chr(chance.randint(*block)) + chance.choice(("", "", " ", "\u0301")) for block in blocks)
            )
    return texts
