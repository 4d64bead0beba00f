"""Fetchers: samples of a dataset, collated to a batch."""


class _Fetcher:
    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last


class _MapDatasetFetcher(_Fetcher):
    def fetch(self, index):
        """The collated samples at a list of indices, or the converted one at an index."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[index])
        get_items = getattr(self.dataset, "__getitems__", None)
        if get_items:
            return self.collate_fn(get_items(index))
        return self.collate_fn([self.dataset[i] for i in index])


class _IterableDatasetFetcher(_Fetcher):
    def __init__(self, *args):
        super().__init__(*args)
        self.dataset_iter = iter(self.dataset)
        self.ended = False

    def fetch(self, index):
        """As many of the next samples as ``index`` has items, collated; or the next one, converted."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or (self.drop_last and len(samples) < len(index)):
            raise StopIteration
        return self.collate_fn(samples)
