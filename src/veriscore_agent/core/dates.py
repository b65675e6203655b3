"""Dates as search engines write them."""

from __future__ import annotations

import re

_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_MONTH_FIRST = re.compile(rf"{_MONTH} (?:(?P<day>\d{{1,2}}), )?(?P<year>\d{{4}})", re.I | re.A)
_DAY_FIRST = re.compile(rf"(?P<day>\d{{1,2}}) {_MONTH} (?P<year>\d{{4}})", re.I | re.A)


def result_date(text: str) -> str | None:
    """The date of a result (``Mar 3, 2024``, ``3 Mar 2024``, ``2024-03-03``) as ISO 8601.

    None for one in another language, and for one that counts from today (``3 days ago``): what is made of a recorded
    answer may not depend on the day.
    """
    text = text.strip()
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return text
    found = _MONTH_FIRST.fullmatch(text) or _DAY_FIRST.fullmatch(text)
    if found is None:
        return None
    month = _MONTHS.find(found["month"][:3].lower()) // 3 + 1
    day = f"-{int(found['day']):02}" if found["day"] else ""
    return f"{found['year']}-{month:02}{day}"
