import { expect } from 'vitest'
import { test } from '../../../../test/harness'
import { asking, givePassword, PASSWORD, sessionFor, tokenFor } from '../../../../test/sessions'
import { respondIsValidToken, respondSignIn } from './respond.server'

const post = (body: unknown) =>
  new Request('http://localhost/api/auth/sign-in', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('a phone gets the user and a token, and never more of the password than its mask', async ({
  db,
  make,
}) => {
  const clinic = await make.clinic({ name: 'Hillside' })
  const user = await make.user({ clinic_id: clinic.id })
  await givePassword(db, user)

  const response = await respondSignIn(
    await asking(db, { via: 'phone' }),
    post({ email: user.email, password: PASSWORD }),
  )

  expect(response.status).toBe(200)
  expect(response.headers.get('set-cookie')).toBeNull()
  const body = (await response.json()) as { user: Record<string, unknown>; token: string }
  expect(Object.keys(body.user).toSorted()).toEqual([
    'clinic_id',
    'clinic_name',
    'created_at',
    'deleted_at',
    'email',
    'hashed_password',
    'id',
    'instance_url',
    'is_deleted',
    'last_modified',
    'name',
    'role',
    'server_created_at',
    'updated_at',
  ])
  expect(body.user).toMatchObject({
    id: user.id,
    clinic_name: 'Hillside',
    hashed_password: '************',
  })
  const valid = await respondIsValidToken(await asking(db, { token: body.token, via: 'trpc' }))
  expect(await valid.json()).toEqual({ isValid: true })
})

test('wrong credentials are 401 whatever is wrong with them, no JSON 400, too many 429 with Retry-After', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const ask = async (body: unknown) => respondSignIn(await asking(db, { via: 'phone' }), post(body))

  for (const body of [
    { email: user.email, password: 'one' },
    { email: 'x', password: PASSWORD },
    { email: user.email },
    {},
  ]) {
    const response = await ask(body)
    expect([response.status, await response.json()]).toEqual([
      401,
      { error: 'Invalid credentials' },
    ])
  }
  expect((await ask('no json')).status).toBe(400)
  for (const password of ['two', 'three', 'four', 'five'])
    await ask({ email: user.email, password })
  const slowed = await ask({ email: user.email, password: PASSWORD })
  expect([slowed.status, slowed.headers.get('retry-after')]).toEqual([429, '30'])
})

test('a token is valid while it opens something', async ({ db, make }) => {
  const user = await make.user()
  const [cookie, program] = [await sessionFor(db, user.id), await tokenFor(db, user.id)]
  const isValid = async (token: string, via: 'web' | 'trpc') =>
    (await respondIsValidToken(await asking(db, { token, via }))).json()

  expect(await isValid(cookie, 'web')).toEqual({ isValid: true })
  expect(await isValid(program, 'trpc')).toEqual({ isValid: true })
  expect(await isValid('made-up', 'web')).toEqual({ isValid: false })
  await db.updateTable('users').set({ is_deleted: true }).where('id', '=', user.id).execute()
  expect(await isValid(cookie, 'web')).toEqual({ isValid: false })
  expect(await isValid(program, 'trpc')).toEqual({ isValid: false })
})
