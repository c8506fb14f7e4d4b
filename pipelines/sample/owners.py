"""Who owns and manages a home: made up, and no name is a person's."""

from __future__ import annotations

from datetime import timedelta

from pipelines.sample.names import FEATURES, PLACES
from pipelines.sample.provider import Listing
from pipelines.sample.survey_files import Rows

OWNER = "5% OR GREATER DIRECT OWNERSHIP INTEREST"
ROLES = (  # role, whether an organization has it, and its share
    (OWNER, True, "60%"),
    (OWNER, False, "40%"),
    ("OPERATIONAL/MANAGERIAL CONTROL", True, "NOT APPLICABLE"),
    ("CORPORATE OFFICER", False, "NOT APPLICABLE"),
    ("W-2 MANAGING EMPLOYEE", False, "NO PERCENTAGE PROVIDED"),
)


def ownership(homes: list[Listing], processed: str) -> Rows:
    """NH_Ownership: three to five owners and managers of each home."""
    for home in homes:
        same = home.where | {"Location": home.row["Location"], "Processing Date": processed}
        for place, (role, is_company, share) in enumerate(ROLES[: 3 + home.number % 3]):
            word, feature = PLACES[(home.number + place) % len(PLACES)], FEATURES[(home.number * 3 + place) % len(FEATURES)]
            since = home.history.surveys[0].day - timedelta(days=400 * (place + 1))
            yield {
                **same,
                "Role played by Owner or Manager in Facility": role,
                "Owner Type": "Organization" if is_company else "Individual",
                "Owner Name": f"{word} {feature} HOLDINGS, LLC" if is_company else f"{word}, {feature}",
                "Ownership Percentage": share,
                "Association Date": f"since {since:%m/%d/%Y}",
            }
