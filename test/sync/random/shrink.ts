/** Leaves out what does not matter, in ever smaller pieces, until nothing more can be left out or the time is over. */
export async function shrink<T>(
  steps: readonly T[],
  fails: (steps: readonly T[]) => Promise<boolean>,
  until: number,
): Promise<T[]> {
  let failing = [...steps]
  for (
    let size = Math.ceil(failing.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    // from the end: what came before is what the rest builds on
    for (let end = failing.length; end > 0; end -= size) {
      if (Date.now() > until) return failing
      const from = Math.max(0, end - size)
      const fewer = failing.toSpliced(from, end - from)
      if (fewer.length < failing.length && (await fails(fewer))) failing = fewer
    }
  }
  return failing
}
