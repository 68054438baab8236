package limit

// InStock is of how many buckets a limiter has taken tokens in advance.
func InStock(l *Limiter) int { return len(l.stock) }

// MostBuckets is how many a limiter keeps, where nobody says.
const MostBuckets = mostBuckets
