package ratelimit

// Known is how many users are distinguished now.
func (q *Quota) Known() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.users)
}
