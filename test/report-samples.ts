import { newId, type Side } from './world'

const today = new Date().toISOString()
/** The report of a clinic, in the month in which the world was made. */
const live = ({ report, clinic }: Side) => ({
  code: report.code,
  clinic_ids: [clinic.id],
  period: today.slice(0, 7),
})
/** The month that `reportRun` closed. */
const closed = (side: Side) => ({ ...live(side), period: '2026-07' })
const cell = { section: 'attendance', row: 'visits', column: 'value' }

/** As in samples.ts: reports. */
export const reportSamples: Record<string, (side: Side) => unknown> = {
  'reports.list': ({ clinic }) => ({ clinic_ids: [clinic.id] }),
  'reports.closedOn': ({ clinic }) => ({ clinicId: clinic.id, day: '2026-01-05' }),
  'reports.run': live,
  'reports.drill': (side) => ({ ...live(side), ...cell }),
  'reports.trend': (side) => ({ ...live(side), section: cell.section, count: 2 }),
  'reports.saveManual': ({ report, clinic }) => ({
    code: report.code,
    clinic_id: clinic.id,
    period: today.slice(0, 7),
    ...cell,
    row: 'beds',
    value: 12,
  }),
  'reports.close': (side) => ({ ...live(side), id: newId(), period: '2026-06' }),
  'reports.amend': (side) => ({ ...closed(side), id: newId(), reason: 'A late visit' }),
  'reports.sign': ({ reportRun }) => ({ id: reportRun.id, as: 'prepared' }),
  'reports.late': closed,
  'reports.history': closed,
}
