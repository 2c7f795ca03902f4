import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { auditOf, brokenRule, test } from '../../../../test/harness'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import { listTrash, restoreDeletion } from '~/features/office/trash/trash.server'
import { deleteBinding, listBindings, saveBinding } from './bindings.server'
import {
  deleteDefinition,
  getDefinition,
  listDefinitions,
  listDefinitionVersions,
  previewDefinition,
  saveDefinition,
} from './definitions.server'

const aReport = (more: Partial<ReportDefinition> = {}): ReportDefinition => ({
  code: 'camp-month',
  names: { en: 'Camp month', ar: 'شهر المخيم' },
  period: 'month',
  groups: { malaria: { icd10: ['B50-B54'] } },
  axes: { sex: ['male', 'female', 'unknown'] },
  sections: [
    {
      id: 'all',
      names: { en: 'All' },
      columns: { axis: 'sex', total: true },
      rows: [
        { id: 'visits', names: { en: 'Visits' }, measure: { count: 'visits', in: 'period' } },
        { id: 'staff', names: { en: 'Staff' }, measure: { manual: 'integer' } },
      ],
    },
  ],
  ...more,
})

describe('a report definition', () => {
  test('is saved, listed, and becomes a new version only when its body changes', async ({
    as,
    db,
  }) => {
    const admin = as('admin')
    const id = uuidv7()
    const saved = await saveDefinition(admin, { id, body: aReport() })
    expect(await saveDefinition(admin, { id, body: aReport() })).toEqual(saved)
    const { body, version, last_modified } = await getDefinition(admin, { id })
    expect({ body, version }).toEqual({ body: aReport(), version: 1 })
    expect((await listDefinitions(admin, {})).rows).toContainEqual(
      expect.objectContaining({
        id,
        code: 'camp-month',
        period: 'month',
        rows: 2,
        isStarter: false,
      }),
    )
    const next = aReport({ names: { en: 'Camp' } })
    next.sections[0]!.rows.reverse()
    next.sections[0]!.rows.push({ ...next.sections[0]!.rows[0]!, id: 'beds' })
    await saveDefinition(admin, { id, last_modified, body: next })
    const { rows } = await listDefinitionVersions(admin, { id, page: 1 })
    expect(rows.map((row) => row.version)).toEqual([2, 1])
    expect(rows[0]!.changes.map(({ what, id: of }) => `${what} ${of}`)).toEqual([
      'namesChanged camp-month',
      'rowAdded beds',
      'rowsMoved all',
    ])
    expect((await auditOf(db, id)).map(({ action }) => action)).toEqual([
      'reportDefinitions.save',
      'reportDefinitions.save',
    ])
  })

  test('is refused with a sentence at each place that is wrong', async ({ as }) => {
    const wrong = aReport()
    wrong.sections[0]!.rows = [
      { id: 'a', names: { en: 'A' } },
      { id: 'b', names: { en: 'B' }, measure: 'nothing' },
      {
        id: 'c',
        names: { en: 'C' },
        measure: { count: 'visits', in: 'period' },
        where: ['visit.colour', 'is', 'red'],
      },
    ]
    await expect(saveDefinition(as('admin'), { id: uuidv7(), body: wrong })).rejects.toMatchObject({
      code: 'invalid',
      fields: {
        'body.sections.0.rows.0.measure': { key: 'reportCells.noMeasure' },
        'body.sections.0.rows.1.measure': { key: 'reportCells.unknownMeasure' },
        'body.sections.0.rows.2.where.0': { key: 'reportCells.unknownField' },
      },
    })
    await expect(
      saveDefinition(as('admin'), { id: uuidv7(), body: { ...aReport(), more: 1 } as never }),
    ).rejects.toMatchObject({ fields: { 'body.more': { key: 'reportCells.unknownPart' } } })
  })

  test('has a code of its own, is not saved over a newer version, and is for administrators', async ({
    as,
    asUser,
    make,
    db,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const other = asUser(await make.user({ role: 'admin' }))
    const clinic = await make.clinic()
    const id = uuidv7()
    const { last_modified } = await saveDefinition(admin, { id, body: aReport() })
    await expect(saveDefinition(admin, { id: uuidv7(), body: aReport() })).rejects.toMatchObject({
      fields: { 'body.code': { key: 'reportDefinitions.codeTaken' } },
    })
    await saveDefinition(other, { id, last_modified, body: aReport({ page: 'A5' }) })
    await expect(
      saveDefinition(admin, { id, last_modified, body: aReport({ page: 'A4' }) }),
    ).rejects.toMatchObject({ code: 'conflict', text: { key: 'errors.stale' } })
    const manager = as('provider', { [clinic.id]: ['is_clinic_admin'] })
    await expect(listDefinitions(manager, {})).rejects.toMatchObject({ code: 'forbidden' })
    await expect(saveDefinition(manager, { id: uuidv7(), body: aReport() })).rejects.toMatchObject({
      code: 'forbidden',
    })
    const change = db
      .updateTable('report_definition_versions')
      .set({ body: '{}' })
      .where('definition_id', '=', id)
    expect(await brokenRule(db, change)).toBeUndefined()
  })

  test('goes into the trash and comes back', async ({ asUser, make }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const id = uuidv7()
    await saveDefinition(admin, { id, body: aReport() })
    const { deletionId } = await deleteDefinition(admin, { id })
    await expect(getDefinition(admin, { id })).rejects.toMatchObject({ code: 'not_found' })
    expect((await listTrash(admin, {})).rows).toContainEqual(
      expect.objectContaining({ id: deletionId, label: 'Camp month' }),
    )
    await restoreDeletion(admin, { id: deletionId })
    expect((await getDefinition(admin, { id })).version).toBe(1)
  })

  test('is previewed with the numbers of a clinic before it is saved', async ({ as, make }) => {
    const clinic = await make.clinic()
    const patient = await make.patient({ sex: 'female' })
    const at = { patient_id: patient.id, check_in_timestamp: new Date('2026-10-10T09:00:00Z') }
    await make.visit({ ...at, clinic_id: clinic.id })
    await make.visit({ ...at })
    const asked = { body: aReport(), clinic_ids: [clinic.id], period: '2026-10' }
    const { cells } = await previewDefinition(as('admin'), asked)
    const values = Object.fromEntries(
      cells.map(({ row, column, value }) => [`${row}/${column}`, value]),
    )
    expect(values).toMatchObject({ 'visits/female': 1, 'visits/male': 0, 'visits/total': 1 })
    expect(values['staff/female']).toBeNull()
    const names = { en: 'Each' }
    const sections: ReportDefinition['sections'] = [
      {
        id: 'each',
        names,
        measure: { sum: 'stock.usable', of: 'stock', in: { until: 'periodEnd' } },
        rows: [{ id: 'medicine', names, each: 'medicine' }],
      },
    ]
    const { drug_id } = await make.stock(clinic.id, 4)
    const preview = await previewDefinition(as('admin'), { ...asked, body: aReport({ sections }) })
    expect(preview.definition.sections[0]!.rows.map(({ id }) => id)).toEqual([drug_id])
    expect(preview.cells).toMatchObject([{ row: drug_id, column: 'value', value: 4 }])
    await expect(
      previewDefinition(as('admin'), { ...asked, period: '2026-W42' }),
    ).rejects.toMatchObject({ fields: { period: { key: 'reportEditor.periodLike_month' } } })
    await expect(
      previewDefinition(as('admin'), { ...asked, body: { code: 'x' } }),
    ).rejects.toMatchObject({ code: 'invalid' })
  })
})

describe('an answer that reports read', () => {
  const aForm = {
    form_fields: JSON.stringify([
      {
        id: 'bp',
        name: 'Blood pressure',
        description: '',
        fieldType: 'free-text',
        inputType: 'text',
        length: 'short',
        required: false,
      },
    ]),
  }

  test('is saved, changed, listed with the names of its form and question, and deleted', async ({
    asUser,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const form = await make.eventForm(aForm)
    const id = uuidv7()
    const binding = { id, concept: 'bp.systolic', form_id: form.id, field_id: 'bp', option: null }
    const { last_modified } = await saveBinding(admin, { ...binding, clinic_id: null })
    expect(await listBindings(admin, {})).toContainEqual(
      expect.objectContaining({
        id,
        concept: 'bp.systolic',
        form: form.name,
        field: 'Blood pressure',
      }),
    )
    const clinic = await make.clinic()
    await saveBinding(admin, { ...binding, last_modified, clinic_id: clinic.id })
    expect(await listBindings(admin, {})).toContainEqual(
      expect.objectContaining({ id, clinic: clinic.name }),
    )
    const { deletionId } = await deleteBinding(admin, { id })
    expect(await listBindings(admin, {})).not.toContainEqual(expect.objectContaining({ id }))
    await restoreDeletion(admin, { id: deletionId })
  })

  test('names a question of the form, once, and is for administrators', async ({ as, make }) => {
    const admin = as('admin')
    const form = await make.eventForm(aForm)
    const binding = { concept: 'bp.systolic', form_id: form.id, clinic_id: null, option: null }
    await saveBinding(admin, { ...binding, id: uuidv7(), field_id: 'bp' })
    await expect(
      saveBinding(admin, { ...binding, id: uuidv7(), field_id: 'bp' }),
    ).rejects.toMatchObject({ fields: { concept: { key: 'reportBindings.twice' } } })
    await expect(
      saveBinding(admin, { ...binding, id: uuidv7(), field_id: 'pulse' }),
    ).rejects.toMatchObject({ fields: { field_id: { key: 'validation.option' } } })
    await expect(
      saveBinding(admin, { ...binding, id: uuidv7(), field_id: null, option: 'Yes' }),
    ).rejects.toMatchObject({ fields: { option: { key: 'reportBindings.optionOfField' } } })
    await expect(
      saveBinding(admin, { ...binding, id: uuidv7(), field_id: null, concept: 'Blood pressure' }),
    ).rejects.toMatchObject({ fields: { concept: { key: 'reportBindings.conceptForm' } } })
    await expect(listBindings(as('provider'), {})).rejects.toMatchObject({ code: 'forbidden' })
  })
})
