// Answers that cannot become untrue, kept by their question: hashes of what is asked for again and again.

/** A pure function that keeps its answers; when there are more than `max`, it begins anew. Nobody writes on an answer. */
export function memo<Q, A>(max: number, answer: (question: Q) => A): (question: Q) => A {
  const known = new Map<Q, A>()
  return (question) => {
    const before = known.get(question)
    if (before !== undefined) return before
    if (known.size >= max) known.clear()
    const found = answer(question)
    known.set(question, found)
    return found
  }
}
