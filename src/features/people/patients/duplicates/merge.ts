import * as z from 'zod'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { ListInput } from '~/shared/record'

const side = z.enum(['winner', 'loser'], 'validation.option')
export type Side = z.output<typeof side>

/** `winnerId` stays; `loserId` becomes a tombstone that points to it. */
export const MergePair = z
  .object({ winnerId: z.uuid('validation.id'), loserId: z.uuid('validation.id') })
  .refine(({ winnerId, loserId }) => winnerId !== loserId, {
    path: ['loserId'],
    error: 'merge.samePatient',
  })

/**
 * The caller chooses the `id` of the merge. `choices` has the side whose value is kept, by column
 * or `answers.<attribute id>`; the default is the winner's value, or the loser's if the winner has
 * none. A user is asked about values that contradict one of the records (`confirmed`).
 */
export const MergePatients = z
  .object({
    id: z.uuid('validation.id'),
    winnerId: z.uuid('validation.id'),
    loserId: z.uuid('validation.id'),
    choices: z
      .record(z.string().max(100, 'validation.tooLong'), side, 'validation.wrongType')
      .default({}),
    confirmed: ConfirmedIfAsked,
  })
  .refine(({ winnerId, loserId }) => winnerId !== loserId, {
    path: ['loserId'],
    error: 'merge.samePatient',
  })

export const MergeId = z.object({ mergeId: z.uuid('validation.id') })
export const ListMerges = ListInput.pick({ page: true }).nullish()

/** The side whose value is kept without a choice. */
export const chosenSide = (choice: Side | undefined, winner: unknown, loser: unknown): Side =>
  choice ??
  ((winner === null || winner === '') && loser !== null && loser !== '' ? 'loser' : 'winner')
