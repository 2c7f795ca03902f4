import type { Kysely } from 'kysely'
import { describe, expect } from 'vitest'
import { auditOf, test } from '../../../../../test/harness'
import {
  asking,
  codeOf,
  givePassword,
  PASSWORD,
  sessionFor,
  tokenFor,
} from '../../../../../test/sessions'
import type { DB } from '~/db/types'
import { findRequestActor } from '~/server/session.server'
import { getAccount } from '../account.server'
import { signIn, unlockSession, lockSession, verifyTwoFactor } from '../sessions.server'
import { base32, stepOfCode } from './totp.server'
import {
  disableOwnTwoFactor,
  enableOwnTwoFactor,
  newRecoveryCodes,
  startTwoFactor,
} from './two-factor.server'

const STEP = 30_000
type Enabled = { recoveryCodes: string[]; token: string }

/** Turns the second factor on as the screen does, and lets the present code count once more. */
async function enable(db: Kysely<DB>, user: { id: string; email: string }) {
  await givePassword(db, user)
  const token = await sessionFor(db, user.id)
  const { secret } = (await startTwoFactor(await asking(db, { token }), {
    password: PASSWORD,
  })) as { secret: string }
  const code = codeOf(secret)
  const enabled = (await enableOwnTwoFactor(await asking(db, { token }), {
    password: PASSWORD,
    code,
  })) as Enabled
  await db
    .updateTable('second_factors')
    .set({ last_step: 0 })
    .where('user_id', '=', user.id)
    .execute()
  return { secret, ...enabled }
}
const inOrder = async (db: Kysely<DB>, email: string) =>
  signIn(await asking(db), { email, password: PASSWORD })
const opens = async (db: Kysely<DB>, token: string, via: 'web' | 'trpc' | 'phone') => {
  const headers: HeadersInit =
    via === 'web' ? { cookie: `sanad_session=${token}` } : { authorization: `Bearer ${token}` }
  return (await findRequestActor(db, { headers: new Headers(headers) }, via)) !== null
}

test('the codes are those of RFC 6238, one step early or late', () => {
  // appendix B, the last six of its eight digits
  const secret = Buffer.from('12345678901234567890')
  for (const [seconds, code] of [
    [1111111109, '081804'],
    [1234567890, '005924'],
    [20000000000, '353130'],
  ] as const) {
    expect(stepOfCode(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
    expect(stepOfCode(secret, code, seconds * 1000 + STEP)).toBe(Math.floor(seconds / 30))
    expect(stepOfCode(secret, code, seconds * 1000 - STEP)).toBe(Math.floor(seconds / 30))
    expect(stepOfCode(secret, code, seconds * 1000 + 2 * STEP)).toBeNull()
    expect(codeOf(base32(secret), seconds * 1000)).toBe(code)
  }
})

describe('turning it on', () => {
  test('takes the password and a first code; the other sessions end, this screen stays', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    await givePassword(db, user)
    const token = await sessionFor(db, user.id)
    const program = await tokenFor(db, user.id)
    const ask = () => asking(db, { token })

    expect(await startTwoFactor(await ask(), { password: 'wrong one' })).toMatchObject({
      ok: false,
      fields: { password: { key: 'sessions.wrongPassword' } },
    })
    const offer = (await startTwoFactor(await ask(), { password: PASSWORD })) as {
      secret: string
      uri: string
      qrCode: string
    }
    expect(offer.uri).toContain(`secret=${offer.secret}&issuer=Sanad`)
    expect(offer.qrCode).toContain('<svg')
    expect(await inOrder(db, user.email)).toMatchObject({ twoFactor: false })
    expect(
      await enableOwnTwoFactor(await ask(), { password: PASSWORD, code: '000000' }),
    ).toMatchObject({
      ok: false,
      fields: { code: { key: 'sessions.wrongCode' } },
    })
    const enabled = (await enableOwnTwoFactor(await ask(), {
      password: PASSWORD,
      code: codeOf(offer.secret),
    })) as Enabled

    expect(new Set(enabled.recoveryCodes).size).toBe(10)
    expect([
      await opens(db, token, 'web'),
      await opens(db, program, 'trpc'),
      await opens(db, enabled.token, 'web'),
    ]).toEqual([false, false, true])
    expect(await getAccount(await asking(db, { token: enabled.token }), null)).toMatchObject({
      two_factor_since: expect.any(Date),
      recovery_codes_left: 10,
    })
    await expect(
      startTwoFactor(await asking(db, { token: enabled.token }), { password: PASSWORD }),
    ).rejects.toMatchObject({ code: 'conflict' })
    const trail = JSON.stringify(await auditOf(db, user.id))
    expect(trail).toContain('twoFactor.enable')
    for (const kept of [offer.secret, enabled.recoveryCodes[0]!, PASSWORD])
      expect(trail).not.toContain(kept)
  })

  test('neither the key nor a recovery code is stored as it is', async ({ db, make }) => {
    const user = await make.user()
    const { secret, recoveryCodes } = await enable(db, user)
    const factor = await db.selectFrom('second_factors').selectAll().executeTakeFirstOrThrow()
    const codes = await db.selectFrom('recovery_codes').selectAll().execute()

    // 112 bits or more: below that, a keyed hash would not be enough
    expect(recoveryCodes[0]!.replaceAll('-', '')).toMatch(/^[0-9A-HJKMNP-TV-Z]{24}$/)
    expect(base32(factor.secret)).not.toContain(secret)
    expect(codes.map(({ code_hash }) => code_hash.toString())).not.toContain(
      recoveryCodes[0]!.replaceAll('-', ''),
    )
  })
})

describe('signing in with it', () => {
  test('the password alone opens no screen; with the code everything', async ({ db, make }) => {
    const user = await make.user()
    const { secret } = await enable(db, user)
    const { token, twoFactor } = (await inOrder(db, user.email)) as {
      token: string
      twoFactor: boolean
    }

    expect(twoFactor).toBe(true)
    expect([
      await opens(db, token, 'web'),
      await opens(db, token, 'trpc'),
      await opens(db, token, 'phone'),
    ]).toEqual([false, false, false])
    const typed = codeOf(secret)
      .replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]!)
      .replace(/^.../, '$& ')
    const verified = (await verifyTwoFactor(await asking(db, { token }), { code: typed })) as {
      token: string
    }
    expect(await opens(db, verified.token, 'web')).toBe(true)
    expect(verified.token).not.toBe(token)
  })

  test('a code counts once, and so does one of a moment ago', async ({ db, make }) => {
    const user = await make.user()
    const { secret } = await enable(db, user)
    const at = Date.now()
    const code = codeOf(secret, at)
    const tries = [code, code, codeOf(secret, at - STEP)]
    const outcomes = []
    for (const one of tries) {
      const { token } = (await inOrder(db, user.email)) as { token: string }
      outcomes.push((await verifyTwoFactor(await asking(db, { token }), { code: one })).ok)
    }
    expect(outcomes).toEqual([true, false, false])
  })

  test('a recovery code opens once, however it is typed', async ({ db, make }) => {
    const user = await make.user()
    const { recoveryCodes } = await enable(db, user)
    const verify = async (code: string) => {
      const { token } = (await inOrder(db, user.email)) as { token: string }
      return (await verifyTwoFactor(await asking(db, { token }), { code })).ok
    }

    expect(await verify(recoveryCodes[0]!.toLowerCase().replaceAll('-', ' '))).toBe(true)
    expect(await verify(recoveryCodes[0]!)).toBe(false)
    expect(await verify(recoveryCodes[1]!)).toBe(true)
    expect(await verify('AAAA-BBBB-CCCC')).toBe(false)
  })

  test('without a screen the password alone opens nothing; with a code, everything', async ({
    db,
    make,
  }) => {
    const user = await make.user()
    const { secret } = await enable(db, user)
    for (const via of ['phone', 'trpc'] as const) {
      const alone = await signIn(await asking(db, { via }), {
        email: user.email,
        password: PASSWORD,
      })
      expect(alone).toEqual({ ok: false, fields: { code: { key: 'validation.required' } } })
    }
    const code = codeOf(secret)
    const program = (await signIn(await asking(db, { via: 'trpc' }), {
      email: user.email,
      password: PASSWORD,
      code,
    })) as { token: string }

    expect([
      await opens(db, program.token, 'phone'),
      await opens(db, program.token, 'trpc'),
    ]).toEqual([true, true])
    const again = await signIn(await asking(db, { via: 'trpc' }), {
      email: user.email,
      password: PASSWORD,
      code,
    })
    expect(again).toMatchObject({ ok: false, fields: { code: { key: 'sessions.wrongCode' } } })
  })

  test('without a first step there is no second', async ({ db, make, anonymous }) => {
    const user = await make.user()
    const { secret, token } = await enable(db, user)
    await expect(verifyTwoFactor(anonymous, { code: codeOf(secret) })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await expect(
      verifyTwoFactor(await asking(db, { token }), { code: codeOf(secret) }),
    ).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await expect(verifyTwoFactor(anonymous, { code: '' })).rejects.toMatchObject({
      fields: { code: { key: 'validation.required' } },
    })
  })

  test('codes cannot be tried one after the other', async ({ db, make }) => {
    const user = await make.user()
    await enable(db, user)
    const { token } = (await inOrder(db, user.email)) as { token: string }
    const wrong = async (code: string) => verifyTwoFactor(await asking(db, { token }), { code })
    for (const code of ['100000', '100001', '100002', '100003', '100004'])
      expect(await wrong(code)).toMatchObject({ ok: false })

    await expect(wrong('100005')).rejects.toMatchObject({
      code: 'too_many_requests',
      retryAfter: 30,
    })
  })
})

test('a locked screen opens with a code as well', async ({ db, make }) => {
  const user = await make.user()
  const { secret, token } = await enable(db, user)
  await lockSession(await asking(db, { token }), null)
  expect(await unlockSession(await asking(db, { token }), { code: '000000' })).toMatchObject({
    ok: false,
    fields: { code: { key: 'sessions.wrongCode' } },
  })
  const unlocked = await unlockSession(await asking(db, { token }), { code: codeOf(secret) })
  expect(await opens(db, (unlocked as { token: string }).token, 'web')).toBe(true)
  expect(await opens(db, token, 'web')).toBe(false)
})

test('new recovery codes ask for the password, turning it off for a code too; old codes end', async ({
  db,
  make,
}) => {
  const user = await make.user()
  const { recoveryCodes, token, secret } = await enable(db, user)
  expect(
    await newRecoveryCodes(await asking(db, { token }), { password: 'wrong one' }),
  ).toMatchObject({ ok: false })
  const { recoveryCodes: fresh } = (await newRecoveryCodes(await asking(db, { token }), {
    password: PASSWORD,
  })) as { recoveryCodes: string[] }
  const pending = (await inOrder(db, user.email)) as { token: string }
  expect(
    await verifyTwoFactor(await asking(db, { token: pending.token }), { code: recoveryCodes[0]! }),
  ).toMatchObject({
    ok: false,
  })
  expect(
    await verifyTwoFactor(await asking(db, { token: pending.token }), { code: fresh[0]! }),
  ).toMatchObject({
    ok: true,
  })

  expect(
    await disableOwnTwoFactor(await asking(db, { token }), { password: 'wrong one' }),
  ).toMatchObject({ ok: false })
  const code = codeOf(secret)
  const off = (await disableOwnTwoFactor(await asking(db, { token }), {
    password: PASSWORD,
    code,
  })) as { token: string }
  expect([await opens(db, token, 'web'), await opens(db, off.token, 'web')]).toEqual([false, true])
  expect(await inOrder(db, user.email)).toMatchObject({ twoFactor: false })
  await expect(
    newRecoveryCodes(await asking(db, { token: off.token }), { password: PASSWORD }),
  ).rejects.toMatchObject({
    code: 'conflict',
  })
})
