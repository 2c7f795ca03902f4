import type { Actor } from '~/shared/actor'
import { forbidden } from '~/shared/errors'

/** For a route's `beforeLoad`: the screen opens only for users who may see it. */
export const onlyFor =
  (may: (actor: Actor) => boolean) =>
  ({ context }: { context: { actor: Actor } }) => {
    if (!may(context.actor)) throw forbidden()
  }
