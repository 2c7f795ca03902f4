import { describe, expect, test as plain } from 'vitest'
import { aRequest, auditOf, cloneTemplate, test } from '../../../../../test/harness'
import { asking } from '../../../../../test/sessions'
import { ownFingerprint } from '~/server/instance-key.server'
import { findRequestActor } from '~/server/session.server'
import { beforeReady, isSetupOpen, setupCode } from '~/server/startup.server'
import {
  completeServerRestore,
  completeFirstSetup,
  createSuperAdmin,
  restoredAdmins,
  setupState,
} from './setup.server'

const person = {
  clinic: 'Hillside',
  name: 'Amal Haddad',
  email: 'Amal@Clinic.example',
  newPassword: 'seven green herons',
}

describe('the first start', () => {
  test('prints a code; a user with the code becomes super_admin of a first clinic and is signed in', async ({
    db,
  }) => {
    const lines = await beforeReady(db)
    const code = lines.at(-1)!.trim()
    expect(lines.join('\n')).toContain(
      `signs the backups of this Sanad. Write it down:\n  ${ownFingerprint()}\n`,
    )
    expect(await setupState(await asking(db), null)).toEqual({ isOpen: true, isRestored: false })

    const outcome = await completeFirstSetup(await asking(db), {
      ...person,
      code: code.toLowerCase(),
      language: 'ar',
    })

    const { token } = outcome as { token: string }
    const actor = await findRequestActor(
      db,
      { headers: new Headers({ cookie: `sanad_session=${token}` }) },
      'web',
    )
    expect(actor).toMatchObject({ role: 'super_admin', name: 'Amal Haddad', language: 'ar' })
    expect(await db.selectFrom('clinics').select(['id', 'name']).execute()).toEqual([
      { id: actor!.clinicId, name: 'Hillside' },
    ])
    expect(
      (await auditOf(db, actor!.userId)).map(({ action, user_id }) => [action, user_id]),
    ).toContainEqual(['setup.complete', actor!.userId])
    expect(await setupState(await asking(db), null)).toEqual({ isOpen: false, isRestored: false })
    expect(await beforeReady(db)).toEqual([])
    await expect(
      completeFirstSetup(await asking(db), { ...person, email: 'b@c.example', code }),
    ).rejects.toMatchObject({
      text: { key: 'setup.closed' },
    })
  })

  test('each wrong field is reported; a wrong code is slowed down', async ({ db }) => {
    const code = await setupCode(db)
    await expect(
      completeFirstSetup(await asking(db), {
        clinic: '',
        name: '',
        email: 'x',
        newPassword: 'short',
        code: '',
      }),
    ).rejects.toMatchObject({
      fields: {
        code: { key: 'validation.required' },
        clinic: { key: 'validation.required' },
        name: { key: 'validation.required' },
        email: { key: 'validation.email' },
        newPassword: { key: 'validation.tooShort' },
      },
    })
    await expect(
      completeFirstSetup(await asking(db), { ...person, newPassword: 'password123', code }),
    ).rejects.toMatchObject({
      fields: { newPassword: { key: 'sessions.passwordCommon' } },
    })
    for (const wrong of ['A', 'B', 'C', 'D', 'E']) {
      expect(await completeFirstSetup(await asking(db), { ...person, code: wrong })).toMatchObject({
        ok: false,
        fields: { code: { key: 'setup.wrongCode' } },
      })
    }
    await expect(completeFirstSetup(await asking(db), { ...person, code })).rejects.toMatchObject({
      code: 'too_many_requests',
    })
    expect(await isSetupOpen(db)).toBe(true)
  })

  test('the code is stored hashed, and every process of a database prints the same', async ({
    db,
  }) => {
    const [first, second] = [await setupCode(db), await setupCode(db)]
    expect(second).toBe(first)
    expect(first).toMatch(/^[\dA-Z]{4}-[\dA-Z]{4}-[\dA-Z]{4}$/)
    const stored = await db.selectFrom('setup_codes').selectAll().execute()
    expect(stored).toHaveLength(1)
    expect(stored[0]!.code_hash.toString('latin1')).not.toContain(first)
    expect(await completeFirstSetup(await asking(db), { ...person, code: first })).toMatchObject({
      ok: true,
    })
    expect(await db.selectFrom('setup_codes').selectAll().execute()).toEqual([])
    // a code that has been used is not printed again
    expect(await setupCode(db)).not.toBe(first)
  })

  test('from the command line, and from nowhere else', async ({ db, as }) => {
    await expect(createSuperAdmin(as('super_admin'), person)).rejects.toMatchObject({
      code: 'forbidden',
    })
    const command = { db, actor: null, request: aRequest('command') }
    const { id } = await createSuperAdmin(command, person)
    const second = await createSuperAdmin(command, {
      ...person,
      email: 'b@clinic.example',
      clinic: 'HILLSIDE',
    })

    expect(await db.selectFrom('clinics').select('name').execute()).toEqual([{ name: 'Hillside' }])
    expect(second.id).not.toBe(id)
    await expect(createSuperAdmin(command, person)).rejects.toMatchObject({
      fields: { email: { key: 'users.emailTaken' } },
    })
  })
})

describe('after the restore of a backup without passwords', () => {
  const newPassword = 'eight blue kites'

  test('a code sets the password of one super administrator, once; that user resets the others', async ({
    db,
    make,
  }) => {
    const [amal, omar] = [
      await make.user({ role: 'super_admin', name: 'Amal' }),
      await make.user({ role: 'super_admin', name: 'Omar' }),
    ]
    const provider = await make.user({ role: 'provider' })
    const code = (await beforeReady(db)).at(-1)!.trim()
    expect(await setupState(await asking(db), null)).toEqual({ isOpen: false, isRestored: true })
    expect(await restoredAdmins(await asking(db), { code: 'AAAA-BBBB-CCCC' })).toMatchObject({
      ok: false,
      fields: { code: { key: 'setup.wrongCode' } },
    })
    const people = [amal, omar].map(({ id, name, email }) => ({ id, name, email }))
    expect(await restoredAdmins(await asking(db), { code })).toEqual({ ok: true, people })
    const chosen = { code, userId: omar.id, newPassword }
    await expect(
      completeServerRestore(await asking(db), { ...chosen, userId: provider.id }),
    ).rejects.toMatchObject({ fields: { userId: { key: 'validation.option' } } })
    await expect(
      completeServerRestore(await asking(db), { ...chosen, newPassword: 'password123' }),
    ).rejects.toMatchObject({ fields: { newPassword: { key: 'sessions.passwordCommon' } } })

    const { token } = (await completeServerRestore(await asking(db), chosen)) as { token: string }
    const headers = new Headers({ cookie: `sanad_session=${token}` })
    expect(await findRequestActor(db, { headers }, 'web')).toMatchObject({ userId: omar.id })
    expect((await auditOf(db, omar.id)).map(({ action }) => action)).toContain(
      'setup.completeRestore',
    )
    expect(await setupState(await asking(db), null)).toEqual({ isOpen: false, isRestored: false })
    expect(await beforeReady(db)).toEqual([])
    for (const attempt of [
      completeServerRestore(await asking(db), { ...chosen, userId: amal.id }),
      restoredAdmins(await asking(db), { code }),
      completeFirstSetup(await asking(db), { ...person, code }),
    ])
      await expect(attempt).rejects.toMatchObject({ text: { key: 'setup.closed' } })
    expect(await db.selectFrom('credentials').select('user_id').execute()).toEqual([
      { user_id: omar.id },
    ])
  })

  test('wrong codes are slowed down', async ({ db, make }) => {
    await make.user({ role: 'super_admin' })
    const code = await setupCode(db)
    for (const wrong of ['A', 'B', 'C', 'D', 'E'])
      expect(await restoredAdmins(await asking(db), { code: wrong })).toMatchObject({ ok: false })
    await expect(restoredAdmins(await asking(db), { code })).rejects.toMatchObject({
      code: 'too_many_requests',
    })
  })
})

plain('of two who complete it at the same moment, one wins', async () => {
  const db = await cloneTemplate(`setup_${process.pid}`)
  const code = await setupCode(db)
  const attempt = async (email: string) =>
    completeFirstSetup(await asking(db), { ...person, email, code })
  const outcomes = await Promise.allSettled([
    attempt('a@clinic.example'),
    attempt('b@clinic.example'),
  ])

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { text: { key: 'setup.closed' } },
  })
  expect(await db.selectFrom('users').select('role').execute()).toEqual([{ role: 'super_admin' }])
  await db.destroy()
})
