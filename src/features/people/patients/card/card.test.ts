import { v4, v7 } from 'uuid'
import { describe, expect, test as plain } from 'vitest'
import { test } from '../../../../../test/harness'
import { mergePatients } from '../duplicates/merge.server'
import { cardCode, patientOfCard } from './card'
import { patientCard } from './cards.server'
import { listPatients, searchPatients } from '../search/search.server'

describe('the code on a card', () => {
  plain('is digits that lead back to the id, in any script', () => {
    for (const id of [v7(), v4(), '00000000-0000-4000-8000-000000000000']) {
      const code = cardCode(id)
      expect(code).toMatch(/^\d{41}$/)
      expect(patientOfCard(` ${code}\n`)).toBe(id)
      expect(patientOfCard(code.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)]!))).toBe(id)
      expect(patientOfCard(`https://sanad.example/app/patients/${id}?tab=visits`)).toBe(id)
    }
  })

  plain('with one digit read wrongly is no code', () => {
    const code = cardCode(v7())
    const wrong = [...code].map((digit, at) =>
      [code.slice(0, at), (Number(digit) + 1) % 10, code.slice(at + 1)].join(''),
    )
    expect(wrong.filter((text) => patientOfCard(text))).toEqual([])
    expect(['', '9'.repeat(41), '1234', 'Layla'].filter((text) => patientOfCard(text))).toEqual([])
  })
})

test('a card that is scanned into a search finds its patient alone, also after a merge', async ({
  as,
  asUser,
  make,
}) => {
  const patient = await make.patient({ given_name: 'Layla' })
  await make.patient({ given_name: 'Layla' })
  const admin = asUser(await make.user({ role: 'admin' }))
  const { code, svg } = await patientCard(admin, { patientId: patient.id })
  expect(svg).toMatch(/^<svg/)
  const found = async () =>
    (await listPatients(admin, { search: code })).patients.map(({ id }) => id)
  expect(await found()).toEqual([patient.id])
  expect((await searchPatients(admin, { searchQuery: code })).patients).toHaveLength(1)
  const stranger = as('provider', { [(await make.clinic()).id]: ['can_view_history'] })
  expect((await listPatients(stranger, { search: code })).patients).toEqual([])

  const winner = await make.patient({ given_name: 'Leila' })
  await mergePatients(admin, { id: v7(), winnerId: winner.id, loserId: patient.id })
  expect(await found()).toEqual([winner.id])
})
