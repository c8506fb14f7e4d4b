"""What surveyors cite: tags with CMS's words, how often each is drawn, and what a citation is worth (methodology 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

ABUSE = ("F600", "F602", "F603")
UNSCORED = ("F731", "F884")
POINTS = {"A": 0, "B": 0, "C": 0, "D": 4, "E": 8, "F": 16, "G": 20, "H": 35, "I": 45, "J": 50, "K": 100, "L": 150}
SUBSTANDARD_POINTS = POINTS | {"F": 20, "H": 40, "I": 50, "J": 75, "K": 125, "L": 175}
PAST_NON_COMPLIANCE_POINTS = 20  # of J, K and L, whatever the tag
# Tags of substandard quality of care: confirmed and derived.
_SUBSTANDARD = (550, 558, 559, 561, 565, 584, 600, *range(602, 611), *range(675, 681), *range(684, 701), *range(742, 746),
                *range(757, 761), 850, 883, 887)  # fmt: skip
SUBSTANDARD = frozenset(f"F{number}" for number in _SUBSTANDARD)


@dataclass(frozen=True)
class Tag:
    """A tag of CMS's look-up; `weight` is how often it is drawn against the others."""

    number: str  # F689
    weight: int
    category: str
    description: str

    @property
    def padded(self) -> str:
        """The number as the files write it: 0689."""
        return f"{int(self.number[1:]):04d}"


_RIGHTS, _CARE, _PLAN = "Resident Rights", "Quality of Life and Care", "Resident Assessment and Care Planning"
_ABUSE, _NURSING, _FOOD = (
    "Freedom from Abuse, Neglect, and Exploitation",
    "Nursing and Physician Services",
    "Nutrition and Dietary",
)
_DRUGS, _INFECTION, _HOUSE, _OFFICE = "Pharmacy Service", "Infection Control", "Environmental", "Administration"
_TAGS = (
    ("F550", 4, _RIGHTS, "Honor the resident's right to a dignified existence, self-determination, communication, and to exercise "
     "his or her rights."),
    ("F580", 3, _RIGHTS, "Immediately tell the resident, the resident's doctor, and a family member of situations "
     "(injury/decline/room, etc.)  that affect the resident."),
    ("F584", 5, _RIGHTS, "Honor the resident's right to a safe, clean, comfortable and homelike environment, including but not "
     "limited to receiving treatment and supports for daily living safely."),
    ("F600", 2, _ABUSE, "Protect each resident from all types of abuse such as physical, mental, sexual abuse, physical "
     "punishment, and neglect by anybody."),
    ("F602", 1, _ABUSE, "Protect each resident from the wrongful use of the resident's belongings or money."),
    ("F603", 0, _ABUSE, "Protect each resident from separation (from other residents, his/her room, or confinement to his/her "
     "room)."),
    ("F609", 4, _ABUSE, "Timely report suspected abuse, neglect, or theft and report the results of the investigation to proper "
     "authorities."),
    ("F641", 5, _PLAN, "Ensure each resident receives an accurate assessment."),
    ("F656", 6, _PLAN, "Develop and implement a complete care plan that meets all the resident's needs, with timetables and "
     "actions that can be measured."),
    ("F677", 4, _CARE, "Provide care and assistance to perform activities of daily living for any resident who is unable."),
    ("F684", 6, _CARE, "Provide appropriate treatment and care according to orders, resident’s preferences and goals."),
    ("F686", 4, _CARE, "Provide appropriate pressure ulcer care and prevent new ulcers from developing."),
    ("F689", 8, _CARE, "Ensure that a nursing home area is free from accident hazards and provides adequate supervision to "
     "prevent accidents."),
    ("F695", 3, _CARE, "Provide safe and appropriate respiratory care for a resident when needed."),
    ("F725", 3, _NURSING, "Provide enough nursing staff every day to meet the needs of every resident; and have a licensed nurse "
     "in charge on each shift."),
    ("F731", 0, _NURSING, "Meet the conditions of a waiver of the nurse staffing requirements."),
    ("F732", 2, _NURSING, "Post nurse staffing information every day."),
    ("F760", 2, _DRUGS, "Ensure that residents are free from significant medication errors."),
    ("F761", 6, _DRUGS, "Ensure drugs and biologicals used in the facility are labeled in accordance with currently accepted "
     "professional principles; and all drugs and biologicals must be stored in locked compartments, separately locked, "
     "compartments for controlled drugs."),
    ("F804", 3, _FOOD, "Ensure food and drink is palatable, attractive, and at a safe and appetizing temperature."),
    ("F812", 9, _FOOD, "Procure food from sources approved or considered satisfactory and store, prepare, distribute and serve "
     "food in accordance with professional standards."),
    ("F842", 3, _PLAN, "Safeguard resident-identifiable information and/or maintain medical records on each resident that are in "
     "accordance with accepted professional standards."),
    ("F867", 2, _OFFICE, "Set up an ongoing quality assessment and assurance group to review quality deficiencies  and develop "
     "corrective plans of action."),
    ("F880", 10, _INFECTION, "Provide and implement an infection prevention and control program."),
    ("F883", 1, _INFECTION, "Develop and implement policies and procedures for flu and pneumonia vaccinations."),
    ("F884", 0, _INFECTION, "Report COVID-19 data to the Centers for Disease Control and Prevention."),
    ("F908", 2, _HOUSE, "Keep all essential equipment working safely."),
)  # fmt: skip
TAGS = {number: Tag(number, weight, f"{category} Deficiencies", words) for number, weight, category, words in _TAGS}


def points(tag: str, letter: str, past_non_compliance: bool) -> int:
    """Points of a citation that is scored: of substandard quality of care the bracketed ones."""
    if past_non_compliance and letter in "JKL":
        return PAST_NON_COMPLIANCE_POINTS
    return (SUBSTANDARD_POINTS if tag in SUBSTANDARD else POINTS)[letter]
