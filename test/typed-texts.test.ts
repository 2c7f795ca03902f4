import { describe, expect } from 'vitest'
import { saveClinic } from '~/features/office/clinics/clinics.server'
import { saveDepartment } from '~/features/office/clinics/departments.server'
import { createPatient, getPatient, savePatient } from '~/features/people/patients/patients.server'
import { normalizeBarcode } from '~/records/package-code'
import { contentDisposition } from '~/server/content-disposition'
import { AppError } from '~/shared/errors'
import { newId } from '~/shared/id'
import { PAGE_USER } from '~/shared/page-user'
import {
  cleanLine,
  cleanText,
  forXml,
  hasRemovedCharacters,
  latinDigitsOnly,
} from '~/shared/typed-text'
import { test } from './harness'

/** The path of each field that was refused, and why. */
const refusal = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw error ?? new Error('The call was not refused')
  return Object.keys(error.fields).length > 0
    ? Object.fromEntries(Object.entries(error.fields).map(([path, { key }]) => [path, key]))
    : error.text.key
}

describe('the rule for texts', () => {
  test.each([
    ['a direction override', '\u202EAli', 'Ali'],
    ['an override at the end', 'Ali\u202E', 'Ali'],
    ['isolates', '\u2066Ali\u2069', 'Ali'],
    ['a control character', 'A\u0007li', 'Ali'],
    ['a zero-width space', 'A\u200Bli', 'Ali'],
    ['a byte order mark', '\uFEFFAli', 'Ali'],
    ['marks of direction at the ends', '\u200FAli \u200E', 'Ali'],
    ['a mark of direction within', 'علي\u200E (2)', 'علي\u200E (2)'],
    ['a Persian half space', 'می\u200Cخواهم', 'می\u200Cخواهم'],
    ['a joiner between letters', 'क्\u200Dष', 'क्\u200Dष'],
    ['a family in one sign', '👩\u200D👧', '👩\u200D👧'],
    ['a heart in colour', '❤\uFE0F', '❤\uFE0F'],
    ['a joiner beside a space', 'Ali\u200D Hassan', 'Ali Hassan'],
    ['a line break', 'Ali\r\nHassan', 'Ali Hassan'],
    ['a line separator', 'Ali\u2028Hassan', 'Ali Hassan'],
    ['a tab', 'Ali\tHassan', 'Ali Hassan'],
    ['marks alone', '\u200F\u200E', ''],
    ['a filler that looks like nothing', '\u3164 \u2800', ''],
    ['an accent', 'Jos\u00E9', 'Jos\u00E9'],
  ])('%s', ({}, typed, kept) => {
    expect(cleanLine(typed)).toBe(kept)
    expect(cleanLine(kept)).toBe(kept)
  })

  test('a text of several lines keeps its lines', ({}) => {
    expect(cleanText('one\r\ntwo\u2029three\n')).toBe('one\ntwo\nthree\n')
  })

  test('says that it removes what a person cannot see, and not that a line was joined', ({}) => {
    expect(hasRemovedCharacters('\u202EAli')).toBe(true)
    expect(hasRemovedCharacters('A\u0007li')).toBe(true)
    expect(hasRemovedCharacters('Ali\nHassan\u200F')).toBe(false)
    expect(hasRemovedCharacters('می\u200Cخواهم')).toBe(false)
  })

  test('reads the digits of every script in codes', ({}) => {
    expect(latinDigitsOnly('٠٧٩ ۱۲۳ १२ ５')).toBe('079 123 12 5')
    expect(normalizeBarcode('٦٢٢١٠٠٠٠٠٠٠١٧')).toBe('6221000000017')
  })

  test('a name of a file and an XML export hold no such character', ({}) => {
    expect(contentDisposition('attachment', 'x\u202Efdp.exe')).toContain("UTF-8''xfdp.exe")
    expect(forXml('a\u0007b\u0000')).toBe('a\uFFFDb\uFFFD')
  })
})

describe('every save', () => {
  const person = { surname: 'Haddad', date_of_birth: '1990-05-17', sex: 'female' }

  test('a patient is stored without what no one sees, with digits that a search finds', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const me = as('registrar', { [clinic.id]: ['can_register_patients'] })
    const { id } = await createPatient(me, {
      id: newId(),
      primary_clinic_id: clinic.id,
      ...person,
      given_name: '\u202EA\u0007l\u200Bi\nNour\u200F',
      phone: '٠٥٩٩ ١٢٣',
    })
    expect((await getPatient(me, { id })).patient).toMatchObject({
      given_name: 'Ali Nour',
      phone: '0599 123',
    })
  })

  test('a name of invisible marks is no name', async ({ as, make }) => {
    const clinic = await make.clinic()
    const [registrar, admin] = [
      as('registrar', { [clinic.id]: ['can_register_patients'] }),
      as('super_admin'),
    ]
    const name = '\u200F\u200E'
    expect(
      await refusal(
        createPatient(registrar, {
          id: newId(),
          primary_clinic_id: clinic.id,
          ...person,
          given_name: name,
        }),
      ),
    ).toEqual({ given_name: 'validation.required' })
    expect(await refusal(saveClinic(admin, { id: newId(), name }))).toEqual({
      name: 'clinics.nameRequired',
    })
    expect(
      await refusal(saveDepartment(admin, { id: newId(), clinic_id: clinic.id, name } as never)),
    ).toMatchObject({ name: 'departments.nameRequired' })
  })

  test('a page of one user is not saved in the session of another', async ({ as, make }) => {
    const clinic = await make.clinic()
    const grants = { [clinic.id]: ['can_register_patients' as const] }
    const colleague = as('registrar', grants)
    const me = as('registrar', grants, { userId: newId() })
    const inPageOf = (userId: string) => ({
      ...colleague,
      request: { ...colleague.request, headers: new Headers({ [PAGE_USER]: userId }) },
    })
    const registration = {
      id: newId(),
      primary_clinic_id: clinic.id,
      ...person,
      given_name: 'Nour',
    }
    expect(await refusal(createPatient(inPageOf(me.actor.userId), registration))).toBe(
      'errors.otherUser',
    )
    // a read writes nothing under a name, and the colleague may take the page over
    const { id } = await createPatient(inPageOf(colleague.actor.userId), registration)
    const { patient } = await getPatient(inPageOf(me.actor.userId), { id })
    expect(patient).toMatchObject({ given_name: 'Nour' })
    // programs name no page
    const { last_modified } = patient
    await savePatient(colleague, { id, last_modified, surname: 'Khoury' })
  })
})
