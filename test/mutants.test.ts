import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import { operations } from '~/rpc/operations'
import { CLINIC_RULES, LINK_SOURCES, PATIENT_RULES } from '~/policy/rules'
import { type AnyOperation, operationRules, signedIn } from '~/server/operation'
import { PERMISSIONS } from '~/shared/permissions'
import {
  answersOf,
  cellsOf,
  isScoped,
  seenElsewhere,
  withAnswers,
  type World,
  worldOf,
} from './access'
import { compoundGuards } from './compound-guards'
import { conjunctsOf } from './conjuncts'
import { test as base } from './harness'
import { ruleTable } from './rule-table'

/**
 * Changes one guard at a time, and expects that a named test notices. `npm run prove -- mutants`
 * tries all of them and prints the list; here each rule and one operation in ten.
 */
const isWhole = process.env['SANAD_MUTANTS'] === 'all'
const test = base.extend('world', { scope: 'file' }, async ({}, { onCleanup }) =>
  worldOf(onCleanup),
)

type Mutant = {
  name: string
  /** Returns what takes the change back. */
  make: () => () => void
  /** The test that notices, or null. */
  killedBy: (world: World) => Promise<string | null>
}

test('each change of an access rule is noticed', async ({ world }) => {
  await expectKilled(world, ruleMutants())
})

test(
  'each change of an operation’s guard is noticed',
  { timeout: 1_800_000 },
  async ({ world }) => {
    const all = [...operations.values()].toSorted((a, b) => (a.facts.name < b.facts.name ? -1 : 1))
    const tried = all.filter((_, at) => isWhole || at % 10 === 0)
    const mutants = []
    for (const operation of tried) mutants.push(...(await operationMutants(world, operation)))
    await expectKilled(world, mutants)
  },
)

test('the answers of a combined guard change without any one of its parts', async ({ world }) => {
  const expected = await compoundGuards(world)
  const unnoticed: string[] = []
  for (const { name, make } of await conjunctMutants()) {
    const restore = make()
    const isNoticed = (await compoundGuards(world).finally(restore)) !== expected
    const by = isNoticed
      ? 'which users each combined guard allows'
      : EQUIVALENT[name.split(': ')[1]!]
    if (isWhole) process.stdout.write(`${isNoticed ? 'killed' : 'equivalent'}  ${name}: ${by}\n`)
    if (!by) unnoticed.push(name)
  }
  expect(unnoticed).toEqual([])
})

/** Parts of a guard that are true for every user that the other parts allow. */
const EQUIVALENT: Record<string, string> = {
  "can(actor, 'read_patient')": 'every role may read patients',
  "can(actor, 'create_patient')": 'every role may create patients',
  "can(actor, 'update_patient')": 'every role may update patients',
  "can(ctx.actor, 'update_patient')": 'every role may update patients',
  "mayAnywhere(actor, 'can_view_history')": 'roles that see analytics hold every permission',
}

/** Each operand of `&&` in a guard, replaced by `true` in a second copy of its module. */
async function conjunctMutants(): Promise<Omit<Mutant, 'killedBy'>[]> {
  const mutants = []
  for (const file of globSync('src/**/*.server.ts')) {
    for (const [at, { text }] of conjunctsOf(file, readFileSync(file, 'utf8')).entries()) {
      const path = resolve(file)
      const real = guardsOf(await import(/* @vite-ignore */ path))
      const changed = guardsOf(await import(/* @vite-ignore */ `${path}?conjunct=${at}`))
      for (const [name, spec] of real) {
        const { allow } = changed.get(name)!
        const before = spec.allow
        if (String(allow) === String(before)) continue
        const make = () => {
          spec.allow = allow
          return () => void (spec.allow = before)
        }
        mutants.push({ name: `${name}: ${text.replace(/\s+/g, ' ')}`, make })
      }
    }
  }
  return mutants
}

function guardsOf(module: Record<string, unknown>) {
  const made = Object.values(module).filter(
    (one): one is AnyOperation => typeof one === 'function' && 'facts' in one,
  )
  return new Map(made.map((one) => [one.facts.name, operationRules(one)]))
}

async function expectKilled(world: World, mutants: Mutant[]) {
  const survivors = []
  const counts: Record<string, number> = {}
  for (const { name, make, killedBy } of mutants) {
    const restore = make()
    const by = await killedBy(world).finally(restore)
    counts[by ?? 'survived'] = (counts[by ?? 'survived'] ?? 0) + 1
    if (isWhole)
      process.stdout.write(`${by ? 'killed' : 'SURVIVED'}  ${name}${by ? `: ${by}` : ''}\n`)
    if (!by) survivors.push(name)
  }
  if (isWhole) process.stdout.write(`${JSON.stringify(counts)}\n`)
  expect(survivors).toEqual([])
}

/** The change changes no answer: another check refuses the same. */
const SAME = 'no answer changes'

// --- Access rules: data, so that each part is changed in place -----------------------------------

type Loose = { capability: string; permissions: string[]; links: string[]; clinics: string }

/** Of both roles, of providers, and of neither. */
const CAPABILITIES = ['read_patient', 'delete_patient', 'manage_system']

function ruleMutants(): Mutant[] {
  const expected = ruleTable()
  const byTable = async () => (ruleTable() === expected ? null : 'what each access rule permits')
  const replaced = (name: string, list: string[], next: readonly string[]): Mutant => ({
    name,
    make: () => {
      const before = list.splice(0, list.length, ...next)
      return () => void list.splice(0, list.length, ...before)
    },
    killedBy: byTable,
  })
  const lists = (name: string, what: string, list: string[], all: readonly string[]): Mutant[] => [
    replaced(`${name}: no ${what}`, list, []),
    ...list.map((one) =>
      replaced(
        `${name}: without ${what} ${one}`,
        list,
        list.filter((other) => other !== one),
      ),
    ),
    ...all
      .filter((one) => !list.includes(one))
      .map((one) => replaced(`${name}: also ${what} ${one}`, list, [...list, one])),
  ]
  const ofPatients = Object.entries(PATIENT_RULES).flatMap(([name, rule]) => {
    const loose = rule as unknown as Loose
    const set = (key: 'capability' | 'clinics', value: string): Mutant => ({
      name: `${name}: ${key} ${value}`,
      make: () => {
        const before = loose[key]
        loose[key] = value
        return () => void (loose[key] = before)
      },
      killedBy: byTable,
    })
    return [
      ...lists(name, 'permission', loose.permissions, PERMISSIONS),
      ...lists(name, 'link', loose.links, LINK_SOURCES),
      set('clinics', rule.clinics === 'some' ? 'every' : 'some'),
      ...CAPABILITIES.filter((one) => one !== rule.capability).map((one) => set('capability', one)),
    ]
  })
  const ofClinics = Object.entries(CLINIC_RULES).flatMap(([name, rule]) =>
    lists(name, 'permission', rule as unknown as string[], PERMISSIONS),
  )
  return [...ofPatients, ...ofClinics]
}

// --- Operations ----------------------------------------------------------------------------------

const rows = new Map(
  readFileSync('docs/operations.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name = '', , ...cells]) => [name.replaceAll('`', ''), cells.slice(0, -1)]),
)

async function operationMutants(world: World, operation: AnyOperation): Promise<Mutant[]> {
  const { name } = operation.facts
  const spec = operationRules(operation)
  const { on, allow, run } = spec
  const admin = world.actors['super_admin']!
  const unchanged = withAnswers(world)
  const seen = (await seenElsewhere(unchanged, operation)).join()
  const isQuery = operation.facts.kind === 'query'
  const before = isQuery ? await answersOf(unchanged, operation) : []
  const wasScoped = isQuery && (await isScoped(unchanged, operation))
  const killedBy = async () => {
    const changed = withAnswers(world)
    if ((await cellsOf(changed, operation)).join() !== rows.get(name)?.join())
      return 'who may do what'
    const now = (await seenElsewhere(changed, operation)).join()
    if (now !== seen) return 'what users learn of the other clinic'
    // of a mutation: what `allow` no longer refuses, `run` refuses
    if (!isQuery) return SAME
    if ((await isScoped(changed, operation)) !== wasScoped)
      return 'which queries answer by the user’s clinics and rights'
    return (await answersOf(changed, operation)).join() === before.join() ? SAME : null
  }
  const mutant = (what: string, change: Partial<typeof spec>): Mutant => ({
    name: `${name}: ${what}`,
    make: () => {
      Object.assign(spec, change)
      return () => Object.assign(spec, { on, allow, run })
    },
    killedBy,
  })
  const isOpenToAll = !on && (allow === signedIn || /^\(\) ?=> ?true$/.test(String(allow)))
  const mutants: Mutant[] = []
  if (rows.get(name)?.some((cell) => cell !== '–'))
    mutants.push(
      mutant(
        'always refused',
        on ? { on: { ...on, permits: () => false } } : { allow: () => false },
      ),
    )
  if (on)
    mutants.push(
      mutant('rows unchecked', {
        on: { permits: () => true, rows: (ctx, input) => on.rows({ ...ctx, actor: admin }, input) },
      }),
    )
  if (allow && !isOpenToAll) mutants.push(mutant('always allowed', { allow: () => true }))
  if (operation.facts.kind === 'query' && !operation.facts.open)
    mutants.push(
      mutant('scope removed', {
        run: (ctx, input, found) =>
          run({ ...ctx, actor: { ...ctx.actor, role: 'super_admin' } }, input, found),
      }),
    )
  return mutants
}
