"""The two partition sets and how a release maps to its quarters."""

from __future__ import annotations

import dagster as dg

from pipelines.periods import quarters, releases

QUARTERS = dg.StaticPartitionsDefinition(quarters())
RELEASES = dg.StaticPartitionsDefinition([name for name, r in releases().items() if r.basis != "never_made"])


def release_of_quarters() -> dg.StaticPartitionMapping:
    """Quarter -> releases that read it, for lineage; that inputs exist is proved by manifests, not by this."""
    readers: dict[str, set[str]] = {q: set() for q in quarters()}
    for name, release in releases().items():
        if release.basis != "never_made":
            for quarter in release.all_quarters:
                readers[quarter].add(name)
    return dg.StaticPartitionMapping({quarter: sorted(names) for quarter, names in readers.items() if names})
