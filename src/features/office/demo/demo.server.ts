import { NoInput, openQuery } from '~/server/operation'
import { clinicTimeZone } from '~/shared/zone'
import { Greet } from './demo'

/** What the server's clock shows, and where the clinic's day begins. */
export const serverTime = openQuery('demo.time', {
  input: NoInput,
  allow: () => true,
  run: async () => ({ at: new Date(), timeZone: clinicTimeZone() }),
})

/** Says the name back; an empty one is refused beside its field, as every operation refuses. */
export const greet = openQuery('demo.greet', {
  input: Greet,
  allow: () => true,
  run: async (_ctx, { name }) => ({ name, length: [...name].length }),
})
