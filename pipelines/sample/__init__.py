"""A made-up nation of nursing homes in CMS's own file layouts, and what must come out of it."""
