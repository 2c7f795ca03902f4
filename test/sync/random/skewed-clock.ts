import { readFileSync } from 'node:fs'

// Loaded into a server before anything else: its clock is off by as many milliseconds as the file
// says. SIGUSR2: look again.
const read = () => Number(readFileSync(process.env['SANAD_TEST_CLOCK']!, 'utf8'))
let skew = read()
process.on('SIGUSR2', () => {
  skew = read()
})

const now = () => Real.now() + skew
const Real = Date
globalThis.Date = new Proxy(Real, {
  construct: (target, args, made) =>
    Reflect.construct(
      target,
      args.length === 0 ? [now()] : args,
      made === globalThis.Date ? target : made,
    ) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})
