import * as z from 'zod'
import { OPS, type Op, type ReportSource, sourceNames } from './fields'

export const MOST_CELLS = 2_000
export const MOST_NODES = 60
export const MOST_DEPTH = 6

/** No `/`: a crossed column joins ids with it. */
export const idSchema = z.string().regex(/^[\p{L}\d][\p{L}\d_.+-]{0,59}$/u)
export const sourceSchema = z.enum(sourceNames)
const smallCount = z.number().int().min(1).max(120)

export const windowSchema = z.union([
  z.enum(['period', 'visit']),
  z.strictObject({ months: smallCount }),
  z.strictObject({ quarter: z.literal('last') }),
  z.strictObject({ before: z.literal('period') }),
  z.strictObject({ until: z.literal('periodEnd') }),
  z.strictObject({
    days: z.tuple([z.number().int().min(-3660).max(3660), z.number().int().min(-3660).max(3660)]),
    after: z.string(),
  }),
])
/**
 * Of the outer row for `visit` (rows of the same visit) and `days` (whole days after a day of it).
 * `months` ends with the period; `quarter` is the last one that has ended by then.
 */
export type Window = z.infer<typeof windowSchema>

const scalar = z.union([z.string().max(200), z.number(), z.boolean()])
const value = z.union([scalar, z.array(scalar).min(1).max(200)])
export type Value = z.infer<typeof value>

/**
 * What a row must pass. A language of its own beside the conditions of forms (`forms/definition-rules.ts`), which are
 * about the answers of one form while it is typed; these ask for rows of the record, in SQL.
 */
export type Comparison = [field: string, op: Op, value: Value]
export type Test =
  | Comparison
  | { all: Test[] }
  | { any: Test[] }
  | { not: Test }
  | { exists: ReportSource; where?: Test | undefined; in: Window }
  | { latest: ReportSource; where?: Test | undefined; in: Window; is: Test }
  | { nth: ReportSource; where?: Test | undefined; is: number }

export const testSchema: z.ZodType<Test> = z.lazy(() =>
  z.union([
    z.tuple([z.string(), z.enum(OPS), value]),
    z.strictObject({ all: z.array(testSchema).min(1).max(MOST_NODES) }),
    z.strictObject({ any: z.array(testSchema).min(1).max(MOST_NODES) }),
    z.strictObject({ not: testSchema }),
    z.strictObject({ exists: sourceSchema, where: testSchema.optional(), in: windowSchema }),
    z.strictObject({
      latest: sourceSchema,
      where: testSchema.optional(),
      in: windowSchema,
      is: testSchema,
    }),
    z.strictObject({ nth: sourceSchema, where: testSchema.optional(), is: smallCount }),
  ]),
)

/** A text as an id: letters, digits and `_.+-`; a number follows if the id is taken. */
export function makeUniqueId(text: string, taken: ReadonlySet<string>, otherwise = 'part'): string {
  const plain =
    text
      .normalize('NFC')
      .replaceAll(/[^\p{L}\d_.+-]+/gu, '-')
      .replaceAll(/^[^\p{L}\d]+|-+$/gu, '')
      .slice(0, 50) || otherwise
  let id = plain
  for (let number = 2; taken.has(id); number += 1) id = `${plain}-${number}`
  return id
}

/** How a test asks for other rows, and of which source. */
export function relatedSource(test: Extract<Test, { in: Window } | { nth: ReportSource }>) {
  if ('exists' in test) return ['exists', test.exists] as const
  return 'latest' in test ? (['latest', test.latest] as const) : (['nth', test.nth] as const)
}

export const clinicTest = (clinicId: string): Test => ['row.clinic', 'is', clinicId]

export const isOfDrug = (test: Test): test is Comparison =>
  Array.isArray(test) && test[0] === 'drug.id' && test[1] === 'is'
