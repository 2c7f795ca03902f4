import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Kysely } from 'kysely'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import { isDamagedIdentity, isLostValue, isWordForNothing } from '~/fields/damaged-cells'
import { patientSheet } from '~/features/people/patients/search/export.server'
import { firstForm } from '~/features/people/registration/registration-forms.server'
import { streamListFile } from '~/server/list-file.server'
import { LANGUAGES } from '~/shared/language'
import { cleanLine, latinDigitsOnly } from '~/shared/typed-text'
import { isUnreadable } from '~/shared/text-encoding'
import { makeFactories } from '../../../../../test/factories'
import { temporaryFolder } from '../../../../../test/folder'
import { test } from '../../../../../test/harness'
import { fileSource, openCsv } from '../csv.server'
import { guessMapping } from './mapping'
import { importPatients } from './patients-file.server'
import { newTally, sumReasonCounts } from '../tally'

const columns = [
  'id',
  'given_name',
  'surname',
  'date_of_birth',
  'sex',
  'phone',
  'hometown',
  'government_id',
  'metadata',
] as const
const allPatients = (db: Kysely<DB>) =>
  db.selectFrom('patients').select(columns).orderBy('id').execute()

/** What the form takes: trimmed, of one line, not empty. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom('=1+1', '-Ali', "O'Hara", 'حدّاد', 'a;b,"c"', '+963 944'),
  )
  .map((value) => cleanLine(value.replaceAll(/[\p{Cc}\p{Cs}]/gu, '')))
  .filter((value) => value !== '' && !/^'+[=+\-@]/.test(value))
  .filter((value) => !isUnreadable(value) && !isDamagedIdentity(value))
  .filter((value) => !isLostValue(value) && !isWordForNothing(value, false))
const person = fc.record({
  id: fc.uuid({ version: 7 }),
  given_name: text,
  surname: fc.option(text),
  sex: fc.constantFrom('male', 'female'),
  birth: fc.constantFrom(
    { date_of_birth: '1990-05-17', metadata: '{}' },
    { date_of_birth: '1900-01-01', metadata: '{}' },
    { date_of_birth: '2024-02-29', metadata: '{}' },
    { date_of_birth: '1961-01-01', metadata: '{"date_of_birth_precision":"year"}' },
    { date_of_birth: '1961-07-01', metadata: '{"date_of_birth_precision":"age"}' },
    { date_of_birth: '2026-05-10', metadata: '{"date_of_birth_precision":"week"}' },
    { date_of_birth: '2025-05-29', metadata: '{"date_of_birth_precision":"month"}' },
  ),
  phone: fc.option(text.map(latinDigitsOnly)),
  hometown: fc.option(text),
  government_id: fc.option(text.map(latinDigitsOnly)),
})

test('an exported patient is the same after an import elsewhere, in every language', async ({
  owner: db,
  as,
}) => {
  const clinic = await makeFactories(db).clinic()
  const me = { ...as('admin'), db }
  const { fields: form } = await firstForm(db)
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...LANGUAGES),
      async (people, language) => {
        const ids = people.map(({ id }) => id)
        await db
          .insertInto('patients')
          .values(
            people.map(({ birth, ...one }) => ({ ...one, ...birth, primary_clinic_id: clinic.id })),
          )
          .execute()
        const before = await allPatients(db)
        const file = join(temporaryFolder(), 'patients.csv')
        writeFileSync(
          file,
          await new Response(
            streamListFile(
              await patientSheet(me, { format: 'csv', language, clinicId: clinic.id }),
              'csv',
            ),
          ).bytes(),
        )
        const csv = await openCsv(await fileSource(file, 'patients.csv'))
        const mapping = guessMapping(csv.headers, form)
        const bring = async () => {
          const tally = newTally('patients.csv')
          await importPatients(
            me,
            csv,
            { headers: csv.headers, form, mapping, clinicId: clinic.id },
            tally,
          )
          return tally
        }
        // here they are all there already
        expect(await bring()).toMatchObject({ repeated: people.length, imported: 0 })
        await db.deleteFrom('patients').where('id', 'in', ids).execute()
        const done = await bring()
        expect([done.imported, sumReasonCounts(done.rejected), await allPatients(db)]).toEqual([
          people.length,
          0,
          before,
        ])
        await db.deleteFrom('patients').where('id', 'in', ids).execute()
      },
    ),
    { numRuns: 25 },
  )
})
