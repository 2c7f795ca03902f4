import { expect, test } from 'vitest'
import { labelCautions } from './label-cautions'
import table from './label-cautions.json'

test.each([
  [['Diazepam'], 'tablet', 'oral', ['drowsy']],
  [['chlorpheniramine'], 'syrup', 'oral', ['drowsy']],
  [['human insulin'], 'vial', 'subcutaneous', ['fridge']],
  [['amoxicillin'], 'syrup', 'oral', ['shake']],
  [['amoxicillin'], 'capsule', 'oral', []],
  [['fentanyl'], 'patch', 'topical', []],
  [['paracetamol'], 'tablet', 'oral', []],
  [['no such thing'], 'tablet', 'oral', []],
])('%j as %s, %s: %j', (ingredients, form, route, cautions) => {
  expect(labelCautions({ ingredients, form, route })).toEqual(cautions)
})

test('each row has its source with an address', () => {
  for (const { source } of table.rows)
    expect(source).toMatchObject({
      text: expect.stringMatching(/./),
      url: expect.stringMatching(/^https?:/),
    })
})
