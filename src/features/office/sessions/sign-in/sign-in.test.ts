import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import type { Language } from '~/shared/language'
import { test } from '../../../../../test/harness'
import { asking, codeOf, givePassword, PASSWORD } from '../../../../../test/sessions'
import { enableOwnTwoFactor, startTwoFactor } from '../two-factor/two-factor.server'
import { lockSession } from '../sessions.server'
import { signInPage, stepNow, takeStep } from './sign-in.server'
import type { PageProps } from './SignInPage'

const form = (typed: Record<string, string>) => new URLSearchParams(typed)

const drawn = (props: Partial<PageProps> = {}, language: Language = 'en') =>
  signInPage({
    step: 'signIn',
    name: '',
    to: null,
    language,
    theme: 'system',
    typed: {},
    complaint: null,
    nonce: 'n',
    assets: [],
    ...props,
  })

test('the sign-in form works without script, and says beside the field what is wrong', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const email = user.email
  const take = async (typed: Record<string, string>) =>
    takeStep(await asking(db), form({ step: 'signIn', ...typed }))

  expect(await take({ email, password: PASSWORD })).toEqual({
    became: 'signedIn',
    token: expect.any(String),
  })
  expect(await take({ email, password: 'wrong' })).toMatchObject({
    became: 'refused',
    status: 400,
    complaint: { fields: { password: { key: 'sessions.wrong' } } },
  })
  expect(await take({ email: 'nothing' })).toMatchObject({
    became: 'refused',
    complaint: {
      fields: { email: { key: 'validation.email' }, password: { key: 'validation.required' } },
    },
  })
})

test('the language of the sign-in page is kept at the first sign-in, and only then', async ({
  db,
  make,
}) => {
  const user = await make.user({ language: 'en' })
  await givePassword(db, user)
  const signInWith = async (language: string) => {
    const ctx = await asking(db)
    const headers = new Headers({ cookie: `sanad_language=${language}` })
    const typed = form({ step: 'signIn', email: user.email, password: PASSWORD })
    await takeStep({ ...ctx, request: { ...ctx.request, headers } }, typed)
    const { language: kept } = await db
      .selectFrom('users')
      .select('language')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    return kept
  }
  expect(await signInWith('ar')).toBe('ar')
  expect(await signInWith('es')).toBe('ar')
})

test('too many wrong passwords are refused as a whole, with the seconds to wait', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const take = async (password: string) =>
    takeStep(await asking(db), form({ step: 'signIn', email: user.email, password }))

  for (const password of ['one', 'two', 'three', 'four', 'five']) await take(password)
  expect(await take(PASSWORD)).toMatchObject({
    became: 'refused',
    status: 429,
    retryAfter: 30,
    complaint: { text: { key: 'errors.tooManyRequests' }, fields: {} },
  })
})

test('a user with a second factor is asked for the code, and may start over', async ({
  db,
  make,
}) => {
  const user = await make.user()
  await givePassword(db, user)
  const first = await takeStep(
    await asking(db),
    form({ step: 'signIn', email: user.email, password: PASSWORD }),
  )
  const token = 'token' in first ? first.token : undefined
  const { secret } = (await startTwoFactor(await asking(db, { token }), {
    password: PASSWORD,
  })) as { secret: string }
  const enabled = { password: PASSWORD, code: codeOf(secret) }
  expect(await enableOwnTwoFactor(await asking(db, { token }), enabled)).toMatchObject({ ok: true })

  const again = await takeStep(
    await asking(db),
    form({ step: 'signIn', email: user.email, password: PASSWORD }),
  )
  expect(again).toEqual({ became: 'halfway', token: expect.any(String) })
  const half = 'token' in again ? again.token : undefined
  expect(await stepNow(await asking(db, { token: half }), false)).toMatchObject({ step: 'verify' })
  expect(
    await takeStep(await asking(db, { token: half }), form({ step: 'verify', code: '000000' })),
  ).toMatchObject({ became: 'refused', complaint: { fields: { code: {} } } })
  expect(
    await takeStep(await asking(db, { token: half }), form({ step: 'verify', leave: '1' })),
  ).toEqual({ became: 'left' })
  expect(await stepNow(await asking(db, { token: half }), false)).toMatchObject({ step: 'signIn' })
  expect(
    await takeStep(await asking(db, { token: half }), form({ step: 'verify', code: '000000' })),
  ).toEqual({ became: 'outdated' })
})

test('a locked session is opened by its password, and a password that another user set is replaced', async ({
  db,
  make,
}) => {
  const user = await make.user({ name: 'Amal' })
  await givePassword(db, user)
  const taken = await takeStep(
    await asking(db),
    form({ step: 'signIn', email: user.email, password: PASSWORD }),
  )
  let token = 'token' in taken ? taken.token : undefined
  await lockSession(await asking(db, { token }), undefined)
  expect(await stepNow(await asking(db, { token }), true)).toEqual({
    step: 'unlockByCode',
    name: 'Amal',
  })
  const unlocked = await takeStep(
    await asking(db, { token }),
    form({ step: 'unlock', password: PASSWORD }),
  )
  expect(unlocked).toMatchObject({ became: 'signedIn' })
  token = 'token' in unlocked ? unlocked.token : undefined

  await givePassword(db, user, PASSWORD, 'another')
  const again = await takeStep(
    await asking(db, { token }),
    form({ step: 'signIn', email: user.email, password: PASSWORD }),
  )
  token = 'token' in again ? again.token : undefined
  expect(await stepNow(await asking(db, { token }), false)).toMatchObject({ step: 'replace' })
  const replace = async (newPassword: string, repeated = newPassword) =>
    takeStep(await asking(db, { token }), form({ step: 'replace', newPassword, repeated }))
  for (const [field, key, ...typed] of [
    ['newPassword', 'sessions.passwordSame', PASSWORD],
    ['newPassword', 'validation.tooShort', 'short'],
    ['newPassword', 'validation.required', '', ''],
    ['repeated', 'sessions.passwordsDiffer', 'nine grey cranes', 'nine grey crane'],
    ['repeated', 'sessions.passwordsDiffer', 'nine grey cranes', ''],
  ] as const)
    expect(await replace(...(typed as [string]))).toMatchObject({
      became: 'refused',
      complaint: { fields: { [field]: { key } } },
    })
  expect(await replace('nine grey cranes')).toMatchObject({
    became: 'signedIn',
    token: expect.any(String),
  })
})

test('the sign-in page keeps the typed address and the screen that was asked for, and never a password', () => {
  const html = drawn(
    {
      to: '/app/patients?search=a"b',
      typed: { email: 'amal@clinic.example', password: 'secret words' },
      complaint: { fields: { password: { key: 'sessions.wrong' } } },
    },
    'ar',
  )
  expect(html).toContain('<html lang="ar" dir="rtl"')
  expect(html).toContain('action="/?to=%2Fapp%2Fpatients%3Fsearch%3Da%22b"')
  expect(html).toContain('value="amal@clinic.example"')
  expect(html).not.toContain('secret words')
  expect(html).toMatch(
    /id="password"[^>]*aria-invalid="true"[^>]*aria-describedby="password-error"/,
  )
  // the language is chosen by the same form, after its own button
  expect(html.indexOf('class="main"')).toBeLessThan(html.indexOf('name="language"'))
})

test('the sign-in page says that a proxy serves it below a path, and only then', () => {
  const html = drawn()
  expect(html).toMatch(/role="alert" id="below" hidden=""/)
  const [, script = ''] = /<script nonce="n">([^]*?)<\/script>/.exec(html) ?? []
  const shown = (pathname: string) => {
    const below = { hidden: true }
    const document = { getElementById: () => below, querySelectorAll: () => [] }
    runInNewContext(script, { location: { pathname }, document, addEventListener: () => {} })
    return !below.hidden
  }
  expect([shown('/sanad/'), shown('/')]).toEqual([true, false])
})

test('the sign-in page is at most 12 kB with its style and script, and needs no other request', () => {
  for (const language of ['en', 'ar', 'es'] as const) {
    const html = drawn({}, language)
    expect(Buffer.byteLength(html)).toBeLessThan(12_000)
    expect(html).not.toMatch(/ src=|rel="stylesheet"|rel="modulepreload"|url\(/)
  }
})
