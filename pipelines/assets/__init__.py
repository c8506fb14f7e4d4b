"""Every step as a Dagster asset, one stage a file."""
