import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FHIR_TYPES } from '~/shared/fhir-scopes'
import { RESOURCES } from './resources/all'

const NEXT = 'CONTRIBUTING.md, "Add a FHIR type"'

/** Type and search parameters of each row of the table of types. */
const documented = () => {
  const [, table = ''] =
    /### Types\n\n([^]*?)\n\n/.exec(readFileSync('docs/exchange.md', 'utf8')) ?? []
  const rows = table.split('\n').slice(2)
  return rows.map((row) => {
    const [, type = '', , parameters = ''] = row.split('|').map((cell) => cell.trim())
    const names = parameters.replaceAll(/ \([^)]*\)/g, '').split(', ')
    return [type, names.filter(Boolean).toSorted()] as const
  })
}

test('each type that is answered has its scopes', () => {
  const types = RESOURCES.map(({ type }) => type)
  expect(types.toSorted(), `FHIR_TYPES of src/shared/fhir-scopes.ts: ${NEXT}`).toEqual(
    [...FHIR_TYPES].toSorted(),
  )
})

test('the table of types in docs/exchange.md has each type with its search parameters', () => {
  const answered = RESOURCES.map(({ type, search }) => [
    type,
    Object.keys(search)
      .filter((name) => !name.startsWith('_'))
      .toSorted(),
  ])
  expect(Object.fromEntries(documented()), `docs/exchange.md: ${NEXT}`).toEqual(
    Object.fromEntries(answered),
  )
})
