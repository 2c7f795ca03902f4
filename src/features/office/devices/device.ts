import * as z from 'zod'
import { ListInput } from '~/shared/record'

/** Open items, or resolved ones. */
export const ListWaiting = ListInput.omit({ search: true }).extend({
  settled: z.boolean().default(false),
})
export const ListPhones = ListInput

export const QuarantinedRowId = z.object({ id: z.uuid('validation.id') })

/** `values`: the corrections, as phones store them: {column: value}. */
export const ApplyRow = QuarantinedRowId.extend({
  values: z
    .record(
      z.string().max(100),
      z.union([z.string(), z.number(), z.boolean(), z.null()], 'validation.wrongType'),
      'validation.wrongType',
    )
    .default({}),
})

/** Keep the server's value, take the phone's, or write another one. */
export const SettleValue = z.discriminatedUnion(
  'take',
  [
    QuarantinedRowId.extend({ take: z.literal('server') }),
    QuarantinedRowId.extend({ take: z.literal('phone') }),
    QuarantinedRowId.extend({
      take: z.literal('other'),
      value: z.union(
        [z.string().max(1_000_000, 'validation.tooLong'), z.number(), z.boolean(), z.null()],
        {
          error: 'validation.wrongType',
        },
      ),
    }),
  ],
  { error: 'validation.option' },
)

export type PhoneValue = string | number | boolean | null
