export type Proof = {
  summary: string
  /** Takes the arguments after the name; returns the exit code, as `npm run prove -- --help` lists them. */
  run: (args: string[]) => Promise<0 | 1 | 3>
}

/** Text of Wilson's score interval at 95 % (Wilson 1927) for a share of `count` cases. */
export function interval(share: number, count: number): string {
  const z = 1.96
  const middle = share + z ** 2 / (2 * count)
  const reach = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))
  const [low, high] = [middle - reach, middle + reach].map((end) =>
    percent(Math.max(0, end) / (1 + z ** 2 / count)),
  )
  return ` (95 %: ${low} to ${high})`
}
export const percent = (part: number) => `${(part * 100).toFixed(1)} %`
