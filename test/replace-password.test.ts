import { expect } from 'vitest'
import { operations } from '~/rpc/operations'
import type { AnyOperation } from '~/server/operation'
import type { AppError } from '~/shared/errors'
import { test } from './harness'
import { asking, givePassword, PASSWORD, sessionFor, tokenFor } from './sessions'

const open = [...operations.values()].filter(({ facts }) => facts.open)
const others = [...operations.values(), ...(await operationsOfFhir())].filter(
  ({ facts }) => !facts.open,
)

/** What a call was refused with; an answer is none. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    ({ code, text }: AppError) => ({ code, text }),
  )

/** What FHIR calls is in no registry. */
async function operationsOfFhir(): Promise<AnyOperation[]> {
  const files = import.meta.glob<Record<string, unknown>>('../src/fhir/*.server.ts')
  const exported = await Promise.all(Object.values(files).map((load) => load()))
  return exported
    .flatMap((file) => Object.values(file))
    .filter((value): value is AnyOperation => typeof value === 'function' && 'facts' in value)
}

test('a user whose password another user has set may call what needs no sign-in, and nothing else', async ({
  db,
  make,
}) => {
  const user = await make.user({ role: 'super_admin' })
  await givePassword(db, user, PASSWORD, 'another')
  const [cookie, token] = [await sessionFor(db, user.id), await tokenFor(db, user.id)]
  const callers = [
    await asking(db, { token: cookie }),
    await asking(db, { token, via: 'trpc' }),
    await asking(db, { token, via: 'fhir' }),
  ]

  expect(others.length).toBeGreaterThan(200)
  expect(others.map(({ facts }) => facts.name)).toContain('fhir.everything')
  // the kernel refuses in one place: each operation is tried by one way in
  for (const [at, operation] of others.entries())
    expect([operation.facts.name, await refusalOf(operation(callers[at % 3]!, null))]).toEqual([
      operation.facts.name,
      { code: 'forbidden', text: { key: 'sessions.passwordToReplace' } },
    ])
})

test('these operations are open to anyone, and show nothing of a record', () => {
  expect(open.map(({ facts }) => facts.name).toSorted()).toEqual([
    'demo.greet',
    'demo.time',
    'people.list',
    'queue.showBoard',
    'sessions.current',
    'sessions.replacePassword',
    'sessions.signIn',
    'sessions.signOut',
    'sessions.unlock',
    'sessions.verifyTwoFactor',
    'setup.complete',
    'setup.completeRestore',
    'setup.createSuperAdmin',
    'setup.restoredAdmins',
    'setup.state',
    'trust.get',
  ])
})
