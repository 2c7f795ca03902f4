import { v7 as uuidv7 } from 'uuid'
import type { Side } from './world'

const aReport = (code: string) => ({
  code,
  names: { en: 'Report' },
  period: 'month',
  sections: [
    {
      id: 'all',
      names: { en: 'All' },
      rows: [{ id: 'visits', names: { en: 'Visits' }, measure: { count: 'visits', in: 'period' } }],
    },
  ],
})

const aDataSet = {
  id: 'pBOMPrpg1QX',
  name: 'Mortality',
  periodType: 'Monthly',
  dataSetElements: [{ dataElement: { id: 'f7n9E0hX8qk', name: 'Measles', code: 'MEASLES' } }],
}

/** As in samples.ts, about definitions of reports. */
export const definitionSamples: Record<string, (side: Side) => unknown> = {
  'reportDefinitions.list': () => ({}),
  'reportDefinitions.get': ({ definition }) => ({ id: definition.id }),
  'reportDefinitions.save': () => {
    const id = uuidv7()
    return { id, body: aReport(`r-${id.slice(-12)}`) }
  },
  'reportDefinitions.delete': ({ definition }) => ({ id: definition.id }),
  'reportDefinitions.versions': ({ definition }) => ({ id: definition.id }),
  'reportDefinitions.preview': ({ clinic }) => ({
    body: aReport('preview'),
    clinic_ids: [clinic.id],
    period: '2026-10',
  }),
  'reportDefinitions.importDhis2': () => {
    const id = uuidv7()
    return { id, code: `d-${id.slice(-12)}`, dataSet: aDataSet }
  },
  'dhis2.get': () => ({}),
  'dhis2.save': () => ({ address: 'https://dhis2.example.org', username: 'sanad', secret: 'x' }),
  'dhis2.delete': () => ({}),
  'dhis2.check': () => ({}),
  'dhis2.dataSet': () => ({ dataSetId: 'pBOMPrpg1QX' }),
  'externalCodes.list': ({ medicineReport }) => ({ definitionId: medicineReport.id }),
  'externalCodes.save': ({ definition }) => ({ definitionId: definition.id, codes: [] }),
  'externalCodes.clinics': () => ({}),
  'externalCodes.saveClinics': ({ clinic }) => ({
    codes: [{ clinic_id: clinic.id, code: 'OU_1' }],
  }),
  'reports.send': ({ toSend }) => ({ id: uuidv7(), runId: toSend.id }),
  'sendings.list': ({ reportRun }) => ({ runId: reportRun.id }),
  'sendings.cancel': ({ sending }) => ({ id: sending.id }),
  'reports.export': ({ clinic, report }) => ({
    code: report.code,
    clinic_ids: [clinic.id],
    period: '2026-07',
    format: 'csv',
    language: 'en',
  }),
  'reports.exportAdx': ({ clinic, report }) => ({
    code: report.code,
    clinic_ids: [clinic.id],
    period: '2026-07',
  }),
  'reports.exportDhis2': ({ clinic, report }) => ({
    code: report.code,
    clinic_ids: [clinic.id],
    period: '2026-07',
  }),
  'reportBindings.list': () => ({}),
  'reportBindings.save': ({ eventForm }) => ({
    id: uuidv7(),
    concept: 'anc.contact',
    form_id: eventForm.id,
    field_id: null,
    option: null,
    clinic_id: null,
  }),
  'reportBindings.delete': ({ binding }) => ({ id: binding.id }),
}
