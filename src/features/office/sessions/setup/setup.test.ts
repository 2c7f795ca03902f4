import { describe, expect, test as plain } from 'vitest'
import { aRequest, auditOf, cloneTemplate, test } from '../../../../../test/harness'
import { asking } from '../../../../../test/sessions'
import { actorOf } from '~/server/session.server'
import { beforeReady, isSetupOpen, newSetupCode } from '~/server/startup.server'
import { completeSetup, createSuperAdmin, setupState } from './setup.server'

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
    expect(await setupState(await asking(db), null)).toEqual({ isOpen: true })

    const outcome = await completeSetup(await asking(db), {
      ...person,
      code: code.toLowerCase(),
      language: 'ar',
    })

    const { token } = outcome as { token: string }
    const actor = await actorOf(
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
    expect(await setupState(await asking(db), null)).toEqual({ isOpen: false })
    expect(await beforeReady(db)).toEqual([])
    await expect(
      completeSetup(await asking(db), { ...person, email: 'b@c.example', code }),
    ).rejects.toMatchObject({
      text: { key: 'setup.closed' },
    })
  })

  test('each wrong field is reported; a wrong code is slowed down', async ({ db }) => {
    const code = await newSetupCode(db)
    await expect(
      completeSetup(await asking(db), {
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
      completeSetup(await asking(db), { ...person, newPassword: 'password123', code }),
    ).rejects.toMatchObject({
      fields: { newPassword: { key: 'sessions.passwordCommon' } },
    })
    for (const wrong of ['A', 'B', 'C', 'D', 'E']) {
      expect(await completeSetup(await asking(db), { ...person, code: wrong })).toMatchObject({
        ok: false,
        fields: { code: { key: 'setup.wrongCode' } },
      })
    }
    await expect(completeSetup(await asking(db), { ...person, code })).rejects.toMatchObject({
      code: 'too_many_requests',
    })
    expect(await isSetupOpen(db)).toBe(true)
  })

  test("the code is stored hashed, and each process's own is good", async ({ db }) => {
    const [first] = [await newSetupCode(db), await newSetupCode(db)]
    const stored = await db.selectFrom('setup_codes').selectAll().execute()
    expect(stored).toHaveLength(2)
    expect(
      JSON.stringify(stored.map(({ code_hash }) => code_hash.toString('latin1'))),
    ).not.toContain(first)
    expect(await completeSetup(await asking(db), { ...person, code: first })).toMatchObject({
      ok: true,
    })
    expect(await db.selectFrom('setup_codes').selectAll().execute()).toEqual([])
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

plain('of two who complete it at the same moment, one wins', async () => {
  const db = await cloneTemplate(`setup_${process.pid}`)
  const code = await newSetupCode(db)
  const attempt = async (email: string) =>
    completeSetup(await asking(db), { ...person, email, code })
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
