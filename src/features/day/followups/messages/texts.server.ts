import type { Kysely } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { STARTER_SCHEDULES } from '~/features/care/programs/schedule'
import { mutation, NoInput, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { isAdmin } from '~/shared/actor'
import { invalid } from '~/shared/errors'
import { type Language, LANGUAGES } from '~/shared/language'
import { Saved } from '~/shared/record'
import { LONGEST_TEXT, SHIPPED_TEXTS, unknownPlaceholder } from './text'

/** The text of each schedule and language: the stored one, else the shipped one. */
export const listMessageTexts = query('messageTexts.list', {
  reads: ['message_texts'],
  input: NoInput,
  allow: ({ actor }) => isAdmin(actor),
  async run({ db }) {
    const stored = await storedTexts(db)
    return STARTER_SCHEDULES.flatMap(({ code, program }) =>
      LANGUAGES.map((language) => {
        const own = stored.find((row) => row.schedule_code === code && row.language === language)
        return {
          schedule_code: code,
          program,
          language,
          body: own?.body ?? SHIPPED_TEXTS[language],
          id: own?.id ?? null,
          last_modified: own?.last_modified ?? null,
        }
      }),
    )
  },
})
export type ListedText = Awaited<ReturnType<typeof listMessageTexts>>[number]

const storedTexts = (db: Kysely<DB>) =>
  db
    .selectFrom('message_texts')
    .select(['id', 'schedule_code', 'language', 'body', 'last_modified'])
    .where('is_deleted', '=', false)
    .execute()

/** The texts of a schedule in every language. */
export async function loadMessageTexts(
  db: Kysely<DB>,
  schedule: string,
): Promise<Record<Language, string>> {
  const own = (await storedTexts(db)).filter(({ schedule_code }) => schedule_code === schedule)
  return {
    ...SHIPPED_TEXTS,
    ...Object.fromEntries(own.map(({ language, body }) => [language, body])),
  }
}

const OneText = z.object({
  schedule_code: z.enum(
    STARTER_SCHEDULES.map(({ code }) => code),
    'validation.option',
  ),
  language: z.enum(LANGUAGES, 'validation.option'),
})
const SaveText = Saved.extend({
  ...OneText.shape,
  body: z
    .string('validation.wrongType')
    .trim()
    .min(1, 'validation.required')
    .max(LONGEST_TEXT, 'validation.tooLong'),
})

export const saveMessageText = mutation('messageTexts.save', {
  input: SaveText,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, text) {
    const placeholder = unknownPlaceholder(text.body)
    if (placeholder)
      throw invalid({ body: { key: 'messageTexts.unknown', values: { placeholder } } })
    return saveRecord(ctx, 'message_texts', text)
  },
})

/** Back to the shipped text: the stored one goes to the trash. Null if the text is the shipped one. */
export const resetMessageText = mutation('messageTexts.reset', {
  input: OneText,
  allow: ({ actor }) => isAdmin(actor),
  async run(ctx, { schedule_code, language }) {
    const own = await ctx.db
      .selectFrom('message_texts')
      .select(['id', 'body'])
      .where('schedule_code', '=', schedule_code)
      .where('language', '=', language)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    return own
      ? deleteRecord(ctx, 'message_texts', own.id, own.body.slice(0, 80))
      : { deletionId: null }
  },
})
