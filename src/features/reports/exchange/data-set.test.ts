import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { json, test } from '../../../../test/dhis2-server'
import { definitionOfDataSet, Dhis2DataSet } from './data-set'
import { buildTargetFinder } from './data-value-set'
import { saveDhis2Server } from './dhis-server.server'
import { listCodes, saveCodes } from './external-codes.server'
import { importDhis2, readDataSet } from './import.server'

describe('a data set of DHIS2', () => {
  const option = (id: string, name: string) => ({ id, name, code: null })
  const bySex = {
    id: 'CC000000001',
    categoryOptionCombos: [option('CocMale0001', 'Male'), option('CocFemale01', 'Female')],
  }
  const none = { id: 'CC000000000', categoryOptionCombos: [option('HllvX50cXC0', 'default')] }
  const element = (id: string, name: string, more: object = {}) => ({
    dataElement: {
      id,
      name,
      code: id.toUpperCase(),
      formName: null,
      valueType: 'INTEGER_ZERO_OR_POSITIVE',
      zeroIsSignificant: false,
      categoryCombo: none,
      ...more,
    },
  })
  const dataSet = {
    id: 'pBOMPrpg1QX',
    name: 'Mortality',
    code: 'DS_1',
    periodType: 'Monthly',
    sections: [
      { id: 'sec2', name: 'Staff', sortOrder: 2, dataElements: [{ id: 'nurses' }] },
      {
        id: 'sec1',
        name: 'Cases',
        sortOrder: 1,
        dataElements: [{ id: 'measles' }, { id: 'note' }],
      },
    ],
    dataSetElements: [
      element('measles', 'Measles', { categoryCombo: bySex, zeroIsSignificant: true }),
      element('nurses', 'Number of nurses', { formName: 'Nurses' }),
      element('note', 'Remarks', { valueType: 'LONG_TEXT' }),
      element('power', 'Electricity', { valueType: 'BOOLEAN' }),
    ],
  }

  test('becomes a report with its rows, columns and codes, and what has no cell is named', async ({
    as,
  }) => {
    const admin = as('admin')
    const id = uuidv7()
    const saved = await importDhis2(admin, { id, code: 'mortality', dataSet })
    expect(saved.skipped).toEqual(['Remarks'])
    const { definition: body, codes: stored } = await listCodes(admin, { definitionId: id })
    expect(body).toMatchObject({
      code: 'mortality',
      names: { en: 'Mortality' },
      period: 'month',
      sections: [
        {
          names: { en: 'Cases' },
          columns: { axis: 'combo-CC000000001' },
          rows: [{ id: 'MEASLES', names: { en: 'Measles' }, measure: { manual: 'integer' } }],
        },
        { names: { en: 'Staff' }, rows: [{ id: 'NURSES', names: { en: 'Nurses' } }] },
        { rows: [{ id: 'POWER', measure: { manual: 'yesno' } }] },
      ],
    })
    expect(body.axes).toEqual({
      'combo-CC000000001': [
        { id: 'Male', names: { en: 'Male' } },
        { id: 'Female', names: { en: 'Female' } },
      ],
    })
    expect(stored).toContainEqual({
      section: 'Cases',
      row_id: 'MEASLES',
      column_id: null,
      code: 'MEASLES',
      option_code: null,
      sends_zero: true,
      adx: null,
    })
    expect(stored).toContainEqual(
      expect.objectContaining({ section: 'Cases', column_id: 'Female', code: 'CocFemale01' }),
    )
    expect(stored).toContainEqual(expect.objectContaining({ section: null, code: 'pBOMPrpg1QX' }))
    // the codes are the same after they are saved as they were read
    await saveCodes(admin, { definitionId: id, codes: stored })
    expect((await listCodes(admin, { definitionId: id })).codes).toEqual(stored)
    // every mapped cell of the import has a place to go
    const targetOf = buildTargetFinder(
      stored.filter(({ section }) => section !== null),
      body,
    )
    expect(targetOf({ section: 'Cases', row: 'MEASLES', column: 'Male' })).toEqual({
      dataElement: 'MEASLES',
      categoryOptionCombo: 'CocMale0001',
      sendsZero: true,
      categories: { 'COMBO-CC000000001': 'MALE' },
    })
    expect(targetOf({ section: 'Staff', row: 'NURSES', column: 'value' })).toEqual({
      dataElement: 'NURSES',
      sendsZero: false,
      categories: {},
    })
  })

  test('is read from the configured server', async ({ as, dhis2 }) => {
    await saveDhis2Server(as('super_admin'), {
      address: dhis2.address,
      username: 'a',
      secret: 'b',
    })
    dhis2.answers.push((_, response) => json(response, 200, dataSet))
    const read = await readDataSet(as('admin'), { dataSetId: 'pBOMPrpg1QX' })
    expect(read.dataSetElements).toHaveLength(4)
    expect(dhis2.received[0]!.url).toMatch(
      /^\/dhis\/api\/dataSets\/pBOMPrpg1QX\.json\?fields=id%2C/,
    )
    await expect(readDataSet(as('admin'), { dataSetId: '../me' })).rejects.toMatchObject({
      fields: { dataSetId: { key: 'dhis2.uid' } },
    })
  })

  test('of other periods, and a file that is none, are refused', async ({ as }) => {
    const sixMonths = { ...dataSet, periodType: 'SixMonthly' }
    expect(definitionOfDataSet(Dhis2DataSet.parse(sixMonths), 'x', 'x')).toBeNull()
    const save = (given: unknown) =>
      importDhis2(as('admin'), { id: uuidv7(), code: 'mortality', dataSet: given })
    await expect(save(sixMonths)).rejects.toMatchObject({
      fields: { dataSet: { key: 'dhis2.periodType' } },
    })
    await expect(save({ name: 'x' })).rejects.toMatchObject({
      fields: { dataSet: { key: 'dhis2.noDataSet' } },
    })
  })
})
