"""Web pages: fetched, read in worker processes, and recognised where they are no evidence."""
