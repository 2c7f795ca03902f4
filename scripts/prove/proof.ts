import { parseArgs, type ParseArgsConfig } from 'node:util'
import { parsed } from '../command'

export type Proof = {
  summary: string
  /** Takes the arguments after the name; returns the exit code, as `npm run prove -- --help` lists them. */
  run: (args: string[]) => Promise<0 | 1 | 3>
}

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O }>
>['values']

/** The values of a proof's options; undefined if its help was asked for, which is printed. */
export function parseProofOptions<const O extends Options>(
  args: string[],
  help: string,
  options: O,
): Values<O> | undefined {
  const all = { ...options, help: { type: 'boolean', short: 'h', default: false } } as const
  const { values } = parsed(() => parseArgs({ args, options: all }))
  if (!(values as { help: boolean }).help) return values as unknown as Values<O>
  process.stdout.write(help)
  return undefined
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
