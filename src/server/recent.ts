/**
 * The answer of `read`, which is asked at most once in so many milliseconds; callers that come
 * meanwhile share one. After an error it is asked again.
 */
export function recent<T>(read: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let kept: { until: number; answer: Promise<T> } | undefined
  return () => {
    if (kept && kept.until > performance.now()) return kept.answer
    const asked = { until: Infinity, answer: read() }
    kept = asked
    asked.answer.then(
      () => (asked.until = performance.now() + milliseconds),
      () => (kept = undefined),
    )
    return asked.answer
  }
}
