import type { Kysely, Selectable } from 'kysely'
import { parseSex } from '~/fields/sex'
import { PROGRAMS } from '~/features/care/programs/programs'
import { STARTER_SCHEDULES } from '~/features/care/programs/schedule'
import type { ReportRun } from '~/features/reports/cells/cells.server'
import {
  type Cell,
  cellKey,
  sectionColumns,
  type Comparison,
  cellMeasure,
  type Test,
  type Window,
} from '~/features/reports/cells/definition'
import { type ReportSource, SOURCES } from '~/features/reports/cells/fields'
import type { DB } from '~/db/types'
import { addDays, dayIn, daysBetween, wallTime } from '~/shared/zone'

const TABLES = [
  'patients',
  'visits',
  'patient_vitals',
  'patient_problems',
  'events',
  'event_answers',
  'event_forms',
  'report_bindings',
  'program_enrollments',
  'patient_immunizations',
  'appointments',
  'follow_up_calls',
  'patient_merges',
  'drug_catalogue',
  'drug_batches',
  'inventory_transactions',
  'stock_shortfalls',
  'prescriptions',
  'prescription_items',
  'dispensing_records',
  'appointment_departments',
  'referrals',
  'audit_log',
] as const
type Table = (typeof TABLES)[number]
type Stored<T extends Table> = Selectable<DB[T]>
/** A row that may belong to a visit. */
type Recorded = { id: string; patient_id: string; visit_id: string | null }
type Data = { [T in Table]: Stored<T>[] }

/** What a report reads, whole: the slow version looks for everything in arrays. */
export async function everything(db: Kysely<DB>): Promise<Data> {
  const tables: [string, unknown][] = []
  for (const table of TABLES)
    tables.push([
      table,
      await db
        .selectFrom(table as 'visits')
        .selectAll()
        .execute(),
    ])
  const data = Object.fromEntries(tables) as Data
  const isLive = (row: object) => !('is_deleted' in row) || row.is_deleted !== true
  return Object.fromEntries(
    Object.entries(data).map(([table, rows]) => [table, rows.filter(isLive)]),
  ) as Data
}

/** A row of a source; `own`: the values of its fields. The last reading of a day has the greatest `order`. */
type Row = {
  id: string
  /** Empty: a movement of stock and the like. */
  patientId: string
  visitId: string | null
  clinicId: string | null
  at: number
  day: string
  order: (string | number)[]
  own: Record<string, unknown>
}

const compared = (a: readonly (string | number)[], b: readonly (string | number)[]): number => {
  for (const [at, left] of a.entries()) {
    const right = b[at]!
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

/** The day on which someone born on a day is so many months old: the last of its month if it has no such day. */
function monthsLater(birth: string, months: number): string {
  const [year = 0, month = 0, day = 0] = birth.split('-').map(Number)
  const at = new Date(Date.UTC(2000, 0, 1))
  at.setUTCFullYear(year, month - 1 + months, 1)
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
  at.setUTCDate(Math.min(day, lastDay))
  return at.toISOString().slice(0, 10)
}

function ageInMonths(birth: string, day: string): number {
  let months = 0
  if (day < birth) {
    while (monthsLater(birth, months) > day) months -= 1
    return months
  }
  while (monthsLater(birth, months + 1) <= day) months += 1
  return months
}

const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
const quarterOf = (day: string) => Math.floor(monthOf(day) / 3)
const firstOfMonth = (month: number) =>
  `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`

/** Evaluates a definition cell by cell, as the page of reports says it, without any SQL. */
export class SlowReport {
  constructor(
    readonly data: Data,
    readonly run: ReportRun,
  ) {}

  values(): Record<string, number | null> {
    const { definition } = this.run
    const cells: [string, number | null][] = []
    for (const section of definition.sections)
      for (const [at, row] of section.rows.entries())
        for (const column of sectionColumns(definition, section)) {
          const all = [section.where, row.where, column.test].filter((each) => !!each)
          const earlier = section.exclusive
            ? section.rows
                .slice(0, at)
                .filter(
                  (each) =>
                    JSON.stringify(cellMeasure(section, each)) ===
                    JSON.stringify(cellMeasure(section, row)),
                )
                .map((each): Test => each.where ?? ['row.day', 'isSet', true])
            : []
          const name = { section: section.id, row: row.id, column: column.id }
          cells.push([
            cellKey(name),
            this.cell(cellMeasure(section, row, column)!, all, earlier, cellKey(name)),
          ])
        }
    return Object.fromEntries(cells)
  }

  cell(measure: string | Cell, all: Test[], none: Test[], key: string): number | null {
    const cell = typeof measure === 'string' ? this.run.definition.measures![measure]! : measure
    const of = (name: string): number | null => this.cell(name, all, none, key)
    if ('manual' in cell) return this.run.manual.get(key) ?? null
    if ('like' in cell) return this.cell(cell.like, [...all, cell.and], none, key)
    if ('add' in cell) {
      const known = cell.add.map(of).filter((each) => each !== null)
      if (cell.counts) return known.filter((each) => cell.counts === 'known' || each === 0).length
      return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
    }
    if ('weighted' in cell) {
      const parts = Object.entries(cell.weighted).map(
        ([name, weight]) => [of(name), weight] as const,
      )
      if (parts.every(([value]) => value === null)) return null
      return Number(
        parts.reduce((sum, [value, weight]) => sum + (value ?? 0) * weight, 0).toFixed(6),
      )
    }
    if ('clinics' in cell) {
      const [op, than] = cell.is
      return this.run.clinicIds.filter((clinicId) => {
        const found = this.cell(cell.clinics, [...all, ['row.clinic', 'is', clinicId]], none, key)
        if (found === null) return false
        const value = Number(found.toFixed(6))
        if (op === 'below' || op === 'atMost') return op === 'below' ? value < than : value <= than
        return op === 'above' ? value > than : value >= than
      }).length
    }
    if ('subtract' in cell) {
      const [first, second] = [of(cell.subtract[0]), of(cell.subtract[1])]
      return first === null || second === null ? null : first - second
    }
    if ('ratio' in cell && cell.times === 'month') {
      // each clinic by itself: its days with stock are not those of another
      let sum: number | null = null
      for (const clinicId of this.run.clinicIds) {
        const [over, under] = cell.ratio.map((name) =>
          this.cell(name, [...all, ['row.clinic', 'is', clinicId]], none, key),
        )
        if (!over && !under) continue
        if (!under || over === null || over === undefined) return null
        sum = (sum ?? 0) + over / under
      }
      if (sum === null) return null
      const value = (sum / (cell.share ?? 1)) * this.daysOfMonth()
      return Math.min(value, cell.cap ?? Number.POSITIVE_INFINITY)
    }
    if ('ratio' in cell) {
      const [over, under] = cell.ratio.map(of)
      if (!under || over === null || over === undefined) return null
      const times = Number(cell.times)
      const value = (over / (under * (cell.share ?? 1))) * times
      return Math.min(value, cell.cap ?? Number.POSITIVE_INFINITY)
    }
    const tests = [...(cell.where ? [cell.where] : []), ...all]
    if ('days' in cell) return this.stockDays(cell.in, tests, none)
    const source = 'count' in cell ? cell.count : cell.of
    const groups = this.groupsIn(tests)
    const rows = this.rows(source, cell.in, null)
      .filter(({ clinicId }) => clinicId !== null && this.run.clinicIds.includes(clinicId))
      .filter((row) => !SOURCES[source].perPatient || this.patientOf(row) !== undefined)
      .filter((row) => this.implied(source, tests, row))
      .filter((row) => tests.every((test) => this.test(row, test, groups)))
      .filter((row) => !none.some((test) => this.test(row, test, groups)))
    if (!('count' in cell)) {
      const numbers = rows
        .map((row) => this.field(row, 'sum' in cell ? cell.sum : cell.median, groups))
        .filter((each) => each !== null && each !== undefined)
        .map(Number)
      if ('sum' in cell) return Number(numbers.reduce((sum, each) => sum + each, 0).toFixed(3))
      const ordered = numbers.toSorted((a, b) => a - b)
      const middle = (ordered.length - 1) / 2
      if (ordered.length === 0) return null
      return (ordered[Math.floor(middle)]! + ordered[Math.ceil(middle)]!) / 2
    }
    const once = (row: Row) => {
      if (cell.distinct === 'provider_day') return row.own['provider_day'] ?? undefined
      if (cell.distinct === 'prescription') return row.own['prescription']
      if (cell.distinct === 'patient') return row.patientId
      if (cell.distinct === 'visit') return row.visitId ?? row.id
      if (cell.distinct === 'clinic') return row.clinicId
      if (cell.distinct === 'day') return `${row.clinicId} ${row.day}`
      return cell.count === 'cases' ? `${row.id} ${this.classOf(row, groups)}` : row.id
    }
    return new Set(rows.map(once).filter((each) => each !== undefined)).size
  }

  /** The mean days of the last three months, one after the other. */
  daysOfMonth(): number {
    let days = 0
    for (
      let day = this.run.period.last;
      monthOf(day) > monthOf(this.run.period.last) - 3;
      days += 1
    )
      day = addDays(day, -1)
    return days / 3
  }

  /** The days, one by one and clinic by clinic, at whose end the stock passes the tests; null if none ever arrived. */
  stockDays(window: Window, all: Test[], none: Test[]): number | null {
    const apart = (test: Test): Test[] =>
      !Array.isArray(test) && 'all' in test ? test.all.flatMap(apart) : [test]
    const tests = all.flatMap(apart)
    const today = dayIn(this.run.now, this.run.zone)
    const ofStock = (test: Test) => JSON.stringify(test).includes('"stock.')
    let count: number | null = null
    for (const clinicId of this.run.clinicIds) {
      const isDrug = (drugId: string) => {
        const row = this.#stockRow({ clinicId, drugId }, [], today)
        return (
          tests.filter((test) => !ofStock(test)).every((test) => this.test(row, test, null)) &&
          !none.some((test) => this.test(row, test, null))
        )
      }
      const own = this.data.inventory_transactions
        .filter((each) => each.clinic_id === clinicId && isDrug(each.drug_id))
        .map((each) => ({ ...each, quantity: each.quantity }))
      const first = own.map(({ day }) => day).toSorted()[0]
      if (first === undefined) continue
      for (let day = '2024-01-01'; day < today; day = addDays(day, 1)) {
        if (!this.isIn(window, day, null)) continue
        if (day < first) continue
        count ??= 0
        const row = this.#stockRow({ clinicId, drugId: '' }, own, day)
        if (tests.filter(ofStock).every((test) => this.test(row, test, null))) count += 1
      }
    }
    return count
  }

  /** The stock of these movements at the end of a day. */
  #stockRow(
    { clinicId, drugId }: { clinicId: string; drugId: string },
    moved: readonly { batch_id: string; day: string; quantity: number }[],
    day: string,
  ): Row {
    const until = moved.filter((each) => each.day <= day)
    const sum = (rows: typeof until) =>
      Number(rows.reduce((total, { quantity }) => total + quantity, 0).toFixed(3))
    const batchOf = (id: string) => this.data.drug_batches.find((each) => each.id === id)!
    const usable = until.filter(
      ({ batch_id }) => batchOf(batch_id).expiry_date >= day && !this.#isQuarantined(batch_id, day),
    )
    return {
      id: '',
      patientId: '',
      visitId: null,
      clinicId,
      at: 0,
      day,
      order: [],
      own: {
        ...this.#drug(drugId),
        'stock.quantity': sum(until),
        'stock.usable': sum(usable),
      },
    }
  }

  /** At the end of a day: by the last change until then, or by what the first later change replaced. */
  #isQuarantined(batchId: string, day: string): boolean {
    const changes = this.data.audit_log
      .filter((each) => each.table_name === 'drug_batches' && each.record_id === batchId)
      .map(({ at, changes }) => ({
        day: dayIn(at, this.run.zone),
        pair: (changes as Record<string, [unknown, unknown]>)['is_quarantined'],
      }))
      .filter(({ pair }) => pair !== undefined)
    const before = changes.findLast((each) => each.day <= day)
    if (before) return before.pair![1] === true
    const [after] = changes
    if (after) return after.pair![0] === true
    return this.data.drug_batches.find(({ id }) => id === batchId)!.is_quarantined
  }

  #drug(drugId: string): Record<string, unknown> {
    const drug = this.data.drug_catalogue.find(({ id }) => id === drugId)
    if (!drug) return {}
    const mg: Record<string, number> = { mg: 1, g: 1000, mcg: 0.001 }
    const isSingle = drug.per_quantity === null && drug.ingredient_strengths === null
    const factor = mg[drug.dosage_units]
    const isKnown = isSingle && drug.dosage_quantity !== null && factor !== undefined
    return {
      'drug.id': drug.id,
      'drug.ingredients': drug.ingredients,
      'drug.ingredient_count': (drug.ingredients ?? []).length,
      'drug.name': drug.generic_name,
      'drug.route': drug.route,
      'drug.form': drug.form,
      'drug.is_controlled': drug.is_controlled,
      'drug.strength_mg': isKnown ? Number(drug.dosage_quantity) * factor : null,
    }
  }

  /** The patient that a record was merged into, or itself. */
  survivor(patientId: string): string {
    const merge = this.data.patient_merges.find(
      (each) => each.loser_id === patientId && each.unmerged_at === null,
    )
    return merge ? this.survivor(merge.winner_id) : patientId
  }

  patientOf = ({ patientId }: Row) => this.data.patients.find(({ id }) => id === patientId)

  implied(source: ReportSource, tests: Test[], row: Row): boolean {
    if (source !== 'patient_states') return true
    const text = JSON.stringify(tests)
    const asks = (...names: string[]) => names.some((name) => text.includes(`"${name}"`))
    if (row.own['state.dead'] && !asks('state.dead')) return false
    return !(
      row.own['state.ended'] &&
      !asks('state.ended', 'state.ended_in_period', 'state.end_reason', 'state.dead')
    )
  }

  // Windows --------------------------------------------------------------------------------------

  isIn(window: Window, day: string, outer: Row | null): boolean {
    const { first, last } = this.run.period
    if (window === 'visit') return true
    if (window === 'period') return day >= first && day <= last
    if ('months' in window) return day <= last && monthOf(day) > monthOf(last) - window.months
    if ('quarter' in window) return quarterOf(day) === quarterOf(addDays(last, 1)) - 1
    if ('before' in window) return day < first
    if ('until' in window) return day <= last
    const since = String(this.field(outer!, window.after, null))
    const [from, to] = window.days
    return daysBetween(since, day) >= from && daysBetween(since, day) <= to
  }

  /** The rows of a window: of all patients, or those of the patient or visit of the outer row. */
  rows(source: ReportSource, window: Window, outer: Row | null): Row[] {
    const rows = this.all(source).filter(
      (row) =>
        (source === 'patient_states'
          ? String(row.own['state.enrolled_day']) <= this.run.period.last
          : this.isIn(window, row.day, outer)) &&
        (outer === null ||
          (window === 'visit'
            ? row.visitId !== null && row.visitId === outer.visitId
            : row.patientId === outer.patientId)),
    )
    if (source !== 'bp') return rows
    // the last reading of a day stands for the day: among those of the run's clinics, if only these are counted
    const counted = outer
      ? rows
      : rows.filter(({ clinicId }) => clinicId !== null && this.run.clinicIds.includes(clinicId))
    return counted.flatMap((row) => {
      const ofDay = counted.filter(
        ({ patientId, day }) => patientId === row.patientId && day === row.day,
      )
      if (ofDay.some((other) => compared(other.order, row.order) > 0)) return []
      if (this.run.definition.bp_of_day !== 'mean') return [row]
      const mean = (field: string) =>
        ofDay.reduce((sum, { own }) => sum + Number(own[field]), 0) / ofDay.length
      const [systolic, diastolic] = [mean('bp.systolic'), mean('bp.diastolic')]
      return [{ ...row, own: { ...row.own, 'bp.systolic': systolic, 'bp.diastolic': diastolic } }]
    })
  }

  // Tests ----------------------------------------------------------------------------------------

  groupsIn(tests: Test[]): string[] | null {
    const found = tests.flatMap((test): string[] => {
      if (Array.isArray(test)) return test[1] === 'inGroup' ? [test[2]].flat().map(String) : []
      if ('all' in test) return this.groupsIn(test.all) ?? []
      return 'any' in test ? (this.groupsIn(test.any) ?? []) : []
    })
    return found.length > 0 ? found : null
  }

  test(row: Row, test: Test, groups: string[] | null): boolean {
    if (Array.isArray(test)) return this.compare(row, test, groups)
    if ('all' in test) return test.all.every((each) => this.test(row, each, groups))
    if ('any' in test) return test.any.some((each) => this.test(row, each, groups))
    if ('not' in test) return !this.test(row, test.not, groups)
    const where = test.where ? [test.where] : []
    if ('nth' in test) return this.isNth(row, test.nth, where, test.is)
    const source = 'exists' in test ? test.exists : test.latest
    const is = 'latest' in test ? [test.is] : []
    const inner = this.groupsIn([...where, ...is])
    const rows = this.rows(source, test.in, row)
      .filter((each) => this.implied(source, where, each))
      .filter((each) => where.every((one) => this.test(each, one, inner)))
    if ('exists' in test) return rows.length > 0
    const [last] = rows.toSorted((a, b) => compared([b.day, ...b.order], [a.day, ...a.order]))
    return last !== undefined && this.test(last, test.is, inner)
  }

  /** The first row of its day, of the n-th day with such rows; in a pregnancy since it began. */
  isNth(row: Row, source: ReportSource, where: Test[], n: number): boolean {
    const kind = source === 'events' ? 'event.concept' : source === 'doses' ? 'dose.vaccine' : null
    const pregnancies = this.data.program_enrollments
      .filter((each) => each.patient_id === row.patientId && each.program === 'pregnancy')
      .filter((each) => !each.ended_on || each.ended_on >= row.day)
      .map((each) => each.lmp ?? each.enrolled_on)
      .filter((day) => day <= row.day)
    const since = source === 'events' ? (pregnancies.toSorted().at(-1) ?? '0000') : '0000'
    const same = this.all(source)
      .filter(({ patientId, day }) => patientId === row.patientId && day <= row.day && day >= since)
      .filter((each) => kind === null || each.own[kind] === row.own[kind])
      .filter((each) => where.every((one) => this.test(each, one, this.groupsIn(where))))
    const isFirst = !same.some(
      (each) => each.day === row.day && compared([each.at, each.id], [row.at, row.id]) < 0,
    )
    return isFirst && new Set(same.map(({ day }) => day)).size === n && same.length > 0
  }

  compare(row: Row, [name, op, value]: Comparison, groups: string[] | null): boolean {
    const left = this.field(row, name, groups)
    if (op === 'isSet') return (left !== null && left !== undefined) === value
    if (op === 'inGroup')
      return [value].flat().some((group) => (row.own['groups'] as string[]).includes(String(group)))
    if (left === null || left === undefined) return false
    if (op === 'has')
      return [value].flat().some((each) => (left as string[]).includes(String(each).toLowerCase()))
    const plain = (each: unknown) =>
      name === 'case.code' ? String(each).replaceAll('.', '').toUpperCase() : each
    if (op === 'is' || op === 'in') return [value].flat().some((each) => plain(each) === left)
    const [a, b] = [left as number | string, value as number | string]
    if (op === 'below') return a < b
    if (op === 'atMost') return a <= b
    return op === 'atLeast' ? a >= b : a > b
  }

  field(row: Row, name: string, groups: string[] | null): unknown {
    const patient = this.patientOf(row)
    const birth = patient?.date_of_birth as string | null | undefined
    switch (name) {
      case 'row.day':
        return row.day
      case 'row.clinic':
        return row.clinicId
      case 'patient.sex':
        return parseSex((patient?.sex as string | null) ?? null) ?? 'unknown'
      case 'patient.age_months':
        return birth ? ageInMonths(birth, row.day) : null
      case 'patient.age_years':
        return birth ? Math.trunc(ageInMonths(birth, row.day) / 12) : null
      case 'patient.is_dead':
        return !!patient?.died_on
      case 'case.is_new':
        return this.isNewCase(row, groups)
      case 'state.care':
        return this.visitDays(row, 11, 0).length > 0 ? 'under_care' : 'lost'
      case 'state.overdue':
        return this.isOverdue(row)
      default:
        return row.own[name]
    }
  }

  // Cases ----------------------------------------------------------------------------------------

  classOf(row: Row, groups: string[] | null): string | undefined {
    const own = row.own['groups'] as string[]
    const order = Object.keys(this.run.definition.groups ?? {})
    return order.find((name) => own.includes(name) && (groups === null || groups.includes(name)))
  }

  isNewCase(row: Row, groups: string[] | null): boolean {
    const name = groups?.length === 1 ? groups[0] : this.classOf(row, groups)
    const own = row.own['groups'] as string[]
    if (groups !== null && (name === undefined || !own.includes(name))) {
      // the visit has a case of the one tested group by another of its codes
      if (groups.length !== 1) return false
    }
    const isOf = (each: Row) => {
      const theirs = each.own['groups'] as string[]
      return name === undefined ? theirs.length === 0 : theirs.includes(name)
    }
    const all = this.all('cases').filter((each) => each.patientId === row.patientId && isOf(each))
    if (!all.some(({ id }) => id === row.id)) return false
    const days =
      name === undefined
        ? 14
        : (this.run.definition.groups![name]!.episode_days ?? Number.POSITIVE_INFINITY)
    return !all.some(
      (each) =>
        compared([each.at, each.id], [row.at, row.id]) < 0 &&
        daysBetween(each.day, row.day) <= days,
    )
  }

  // Sources --------------------------------------------------------------------------------------

  #known = new Map<ReportSource, Row[]>()

  all(source: ReportSource): Row[] {
    const rows = this.#known.get(source) ?? this.#build(source)
    this.#known.set(source, rows)
    return rows
  }

  #at(at: Date, id: string) {
    return { at: at.getTime(), day: dayIn(at, this.run.zone), order: [at.getTime(), id] }
  }

  /** Of a row with or without a visit, by the rules of section 1.3. */
  #recorded(stored: Recorded, at: Date, clinic?: string | null): Omit<Row, 'own'> | null {
    const { visits, patients } = this.data
    const [id, patientId] = [stored.id, stored.patient_id]
    const visitId = stored.visit_id as string | null
    if (visitId === null) {
      const own = patients.find((each) => each.id === patientId)?.primary_clinic_id
      const clinicId = clinic === undefined ? own : clinic
      return { id, patientId, visitId, clinicId: clinicId ?? null, ...this.#at(at, id) }
    }
    const visit = visits.find((each) => each.id === visitId)
    if (!visit) return null
    return {
      id,
      patientId,
      visitId,
      clinicId: visit.clinic_id,
      ...this.#at(visit.check_in_timestamp, id),
    }
  }

  #answers(stored: Stored<'events'>): Record<string, unknown> {
    const id = stored.id
    return (
      (this.data.event_answers.find((each) => each.event_id === id)?.answers as Record<
        string,
        unknown
      >) ?? {}
    )
  }

  /** The concepts that an event answers, each with the answer. */
  #concepts(
    stored: Stored<'events'>,
    clinicId: string | null,
  ): { concept: string; answer: unknown }[] {
    const answers = this.#answers(stored)
    return this.data.report_bindings
      .filter((each) => each.form_id === stored.form_id)
      .filter((each) => each.clinic_id === null || each.clinic_id === clinicId)
      .filter((each) => each.field_id === null || Object.hasOwn(answers, each.field_id!))
      .map((each) => ({
        concept: each.concept,
        answer: each.field_id === null ? undefined : answers[each.field_id!],
      }))
  }

  #build(source: ReportSource): Row[] {
    const { data } = this
    const recorded = <T extends Recorded>(rows: T[], atOf: (row: T) => Date) =>
      rows.flatMap((stored) => {
        const base = this.#recorded(stored, atOf(stored))
        return base ? [{ base, stored }] : []
      })
    switch (source) {
      case 'visits':
        return data.visits.map((stored) => this.#visit(stored))
      case 'registrations':
        return data.patients.map((each) => ({
          id: each.id!,
          patientId: each.id!,
          visitId: null,
          clinicId: each.primary_clinic_id!,
          ...this.#at(each.created_at!, each.id!),
          own: {},
        }))
      case 'cases':
        return this.#cases()
      case 'bp':
        return recorded(data.patient_vitals.filter(isOwnWork), (each) => each.timestamp)
          .filter(({ stored }) => stored.systolic_bp !== null && stored.diastolic_bp !== null)
          .map(({ base, stored }) => ({
            ...base,
            order: [(stored.timestamp as Date).getTime(), base.id],
            own: {
              'bp.systolic': stored.systolic_bp,
              'bp.diastolic': stored.diastolic_bp,
            },
          }))
      case 'events':
      case 'sugars':
        return recorded(data.events, (each) => each.created_at).flatMap(
          ({ base, stored }): Row[] => {
            const found = this.#concepts(stored, base.clinicId)
            if (source === 'events') {
              const concepts = found.length > 0 ? found : [{ concept: null, answer: null }]
              return concepts.map(({ concept, answer }) => {
                const number = Number(answer)
                const isNumber = answer !== null && answer !== undefined && !Number.isNaN(number)
                return {
                  ...base,
                  own: { 'event.concept': concept, 'event.number': isNumber ? number : null },
                }
              })
            }
            const kinds: Record<string, string> = {
              'sugar.fasting': 'fasting',
              'sugar.random': 'random',
              hba1c: 'hba1c',
            }
            return found.flatMap(({ concept, answer }) => {
              const kind = kinds[concept]
              const order = [
                kind === 'hba1c' ? 1 : 0,
                (stored.created_at as Date).getTime(),
                base.id,
              ]
              return kind
                ? [{ ...base, order, own: { 'sugar.kind': kind, 'sugar.value': Number(answer) } }]
                : []
            })
          },
        )
      case 'doses':
        return data.patient_immunizations.map((each) => ({
          id: each.id!,
          patientId: each.patient_id!,
          visitId: each.visit_id!,
          clinicId: each.clinic_id!,
          at: Date.parse(`${each.given_on}T00:00:00Z`),
          day: each.given_on!,
          order: [each.id!],
          own: { 'dose.vaccine': each.vaccine, 'dose.number': each.dose_number },
        }))
      case 'calls':
        return this.#calls()
      case 'vitals':
        return recorded(data.patient_vitals.filter(isOwnWork), (each) => each.timestamp).map(
          ({ base, stored }) => ({
            ...base,
            own: Object.fromEntries(
              Object.entries(stored).map(([name, value]) => [`vital.${name}`, value]),
            ),
          }),
        )
      case 'deaths':
        return data.patients.flatMap((each) =>
          each.died_on
            ? [
                {
                  id: each.id,
                  patientId: each.id,
                  visitId: null,
                  clinicId: each.primary_clinic_id,
                  at: 0,
                  day: each.died_on,
                  order: [each.id],
                  own: {},
                },
              ]
            : [],
        )
      case 'referrals':
        return recorded(data.referrals, (each) => each.sent_at).map(({ base, stored }) => ({
          ...base,
          own: { 'referral.status': stored.status, 'referral.urgency': stored.urgency },
        }))
      case 'appointments':
        return data.appointments.map((each) => this.#appointment(each))
      case 'prescribed':
        return data.prescriptions.flatMap((stored) => {
          const base = this.#recorded(stored, stored.prescribed_at, stored.pickup_clinic_id)
          if (!base) return []
          return data.prescription_items
            .filter((item) => item.prescription_id === stored.id)
            .map((item) => ({
              ...base,
              id: item.id,
              order: [base.at, item.id],
              own: {
                ...this.#drug(item.drug_id),
                prescription: stored.id,
                'item.status': item.item_status,
                'item.quantity': item.quantity_prescribed,
              },
            }))
        })
      case 'dispensed':
        return data.dispensing_records.map((each) => ({
          id: each.id,
          patientId: each.patient_id,
          visitId: null,
          clinicId: each.clinic_id,
          ...this.#at(each.dispensed_at, each.id),
          own: {
            ...this.#drug(each.drug_id),
            'dispensed.quantity': each.quantity_dispensed,
            'dispensed.days_supply': each.days_supply,
          },
        }))
      case 'movements':
        return data.inventory_transactions
          .filter((each) => each.transaction_type !== 'corrected')
          .map((each) => ({
            id: each.id,
            patientId: '',
            visitId: null,
            clinicId: each.clinic_id,
            at: 0,
            day: each.day,
            order: [],
            own: {
              ...this.#drug(each.drug_id),
              'movement.type': each.transaction_type,
              'movement.reference': each.reference_type,
              'movement.quantity': each.quantity,
              'movement.quantity_out': -each.quantity,
            },
          }))
      case 'shortfalls':
        return data.stock_shortfalls
          .filter((each) => each.transaction_type === 'dispensed' && each.settlement !== 'covered')
          .map((each) => ({
            id: each.id,
            patientId: '',
            visitId: null,
            clinicId: each.clinic_id,
            ...this.#at(each.occurred_at, each.id),
            own: {
              ...this.#drug(each.drug_id),
              'shortfall.quantity': each.quantity,
              'shortfall.is_open':
                each.settled_at === null || each.settled_at >= this.run.period.to,
            },
          }))
      case 'stock':
        return this.#stock()
      case 'patient_states':
        return data.program_enrollments
          .filter((each) => each.end_reason !== 'mistaken')
          .filter((each) => !this.#isCountedByAnother(each))
          .map((each) => this.#state(each))
      default:
        throw new Error(`${source} is not evaluated here`)
    }
  }

  /** Each batch of each clinic at the end of the period. */
  #stock(): Row[] {
    const { last } = this.run.period
    const moved = this.data.inventory_transactions.map((each) => ({
      ...each,
      quantity: each.quantity,
    }))
    const held = Map.groupBy(moved, ({ clinic_id, batch_id }) => `${clinic_id} ${batch_id}`)
    return [...held].map(([id, own]) => {
      const { clinic_id: clinicId, drug_id: drugId, batch_id } = own[0]!
      const row = this.#stockRow({ clinicId, drugId }, own, last)
      const { expiry_date } = this.data.drug_batches.find((each) => each.id === batch_id)!
      const days = daysBetween(last, expiry_date)
      return { ...row, id, own: { ...row.own, 'stock.expires_in_days': days } }
    })
  }

  #appointment(stored: Stored<'appointments'>): Row {
    const at = this.#at(stored.timestamp, stored.id)
    const [called] = this.data.appointment_departments
      .filter((each) => each.appointment_id === stored.id)
      .filter(
        (each) => each.called_at && each.waiting_since && each.called_at >= each.waiting_since,
      )
      .toSorted((a, b) => a.position - b.position)
    const isWaiting = ['pending', 'confirmed'].includes(stored.status)
    const isMissed =
      isWaiting && !stored.fulfilled_visit_id && at.day < dayIn(this.run.now, this.run.zone)
    return {
      id: stored.id,
      patientId: stored.patient_id,
      visitId: stored.fulfilled_visit_id,
      clinicId: stored.clinic_id,
      ...at,
      own: {
        'appointment.status': stored.status,
        'appointment.is_walk_in': stored.is_walk_in,
        'appointment.is_missed': isMissed,
        'appointment.wait_minutes': called
          ? (called.called_at!.getTime() - called.waiting_since!.getTime()) / 60_000
          : null,
      },
    }
  }

  #visit(stored: Stored<'visits'>): Row {
    const at = this.#at(stored.check_in_timestamp!, stored.id!)
    const isEarlier = (other: Stored<'visits'>) => {
      const theirs = other.check_in_timestamp as Date
      const days = daysBetween(dayIn(theirs, this.run.zone), at.day)
      return theirs.getTime() < at.at && days <= 14
    }
    const isRevisit =
      stored.is_revisit ??
      this.data.visits.some(
        (other) =>
          other.id !== stored.id &&
          other.patient_id === stored.patient_id &&
          other.clinic_id === stored.clinic_id &&
          isEarlier(other),
      )
    return {
      id: stored.id!,
      patientId: stored.patient_id!,
      visitId: stored.id!,
      clinicId: stored.clinic_id!,
      ...at,
      own: {
        'visit.is_new': !isRevisit,
        'visit.weekday': new Date(`${at.day}T00:00:00Z`).getUTCDay() || 7,
        'visit.hour': Number(wallTime(stored.check_in_timestamp!, this.run.zone).slice(11, 13)),
        'visit.has_provider': stored.provider_id !== null,
        provider_day: stored.provider_id && `${stored.provider_id} ${at.day}`,
      },
    }
  }

  #groupsOf(system: string, code: string): string[] {
    const groups = Object.entries(this.run.definition.groups ?? {})
    const isIn = (range: string) => {
      const [low = '', high] = range.replaceAll('.', '').split('-')
      return high === undefined
        ? code.startsWith(low)
        : code.slice(0, 3) >= low && code.slice(0, 3) <= high
    }
    const own = groups.filter(([, group]) => {
      if (system === 'icd10' || system === 'icd10cm') return (group.icd10 ?? []).some(isIn)
      const listed = system === 'icd11' ? group.icd11 : system === 'snomed' ? group.snomed : []
      return (listed ?? []).some((each) => each.replaceAll('.', '') === code)
    })
    const names = own.map(([name]) => name)
    return own
      .filter(([, group]) => !(group.except ?? []).some((other) => names.includes(other)))
      .map(([name]) => name)
  }

  #cases(): Row[] {
    const { data } = this
    const plain = (code: unknown) => String(code).replaceAll('.', '').toUpperCase()
    const row = (base: Omit<Row, 'own'>, system: string, code: string): Row => {
      const visit = data.visits.find(({ id }) => id === base.visitId)
      const id = base.visitId ?? base.id
      return {
        ...base,
        id,
        own: {
          ...(visit
            ? this.#visit(visit).own
            : { 'visit.is_new': true, 'visit.has_provider': false }),
          groups: this.#groupsOf(system, code),
          'case.code': code || null,
          'case.is_grouped': this.#groupsOf(system, code).length > 0,
          'case.system': system,
        },
      }
    }
    const refuted = (visitId: string | null, code: string) =>
      data.patient_problems.some(
        (each) =>
          visitId !== null &&
          each.visit_id === visitId &&
          each.verification_status === 'refuted' &&
          plain(each.problem_code) === code,
      )
    const problems = data.patient_problems.filter(isOwnWork).flatMap((each) => {
      const base = this.#recorded(each, each.created_at)
      return base && each.verification_status !== 'refuted'
        ? [row(base, each.problem_code_system!, plain(each.problem_code))]
        : []
    })
    const answers = data.events.flatMap((event) => {
      const base = this.#recorded(event, event.created_at)
      const form = data.event_forms.find(({ id }) => id === event.form_id)
      const fields = (form?.form_fields ?? []) as { id: string; fieldType: string }[]
      const own = this.#answers(event)
      const codes = fields
        .filter(({ fieldType }) => fieldType === 'diagnosis')
        .flatMap(({ id }) => (own[id] ?? []) as { code: string }[])
      return codes.flatMap(({ code }) =>
        base && !refuted(base.visitId, plain(code))
          ? [row(base, code === '' ? 'none' : 'icd10', plain(code))]
          : [],
      )
    })
    return [...problems, ...answers]
  }

  #standing = () =>
    this.data.follow_up_calls.filter(
      (call) =>
        call.counters_id === null &&
        !this.data.follow_up_calls.some((other) => other.counters_id === call.id),
    )

  #calls(): Row[] {
    const standing = this.#standing()
    const at = (call: Stored<'follow_up_calls'>) => (call.called_at as Date).getTime()
    return standing.map((call) => ({
      id: call.id!,
      patientId: this.survivor(call.patient_id!),
      visitId: null,
      clinicId: call.clinic_id!,
      ...this.#at(call.called_at!, call.id!),
      own: {
        'call.program': call.program,
        'call.result': call.result,
        'call.reason': call.reason,
        'call.no_answer': call.no_answer,
        'call.is_first': !standing.some(
          (other) =>
            this.survivor(other.patient_id) === this.survivor(call.patient_id) &&
            other.program === call.program &&
            at(other) >= this.run.period.from.getTime() &&
            compared([at(other), other.id!], [at(call), call.id!]) < 0,
        ),
      },
    }))
  }

  /** A patient counts once: by the last enrolment if the patient has died, else by the first that is open. */
  #isCountedByAnother(stored: Stored<'program_enrollments'>): boolean {
    const { last } = this.run.period
    const patient = this.data.patients.find(({ id }) => id === stored.patient_id)
    const isDead = !!patient?.died_on && patient.died_on <= last
    const isOpen = (each: typeof stored) => each.ended_on === null || each.ended_on > last
    const order = (each: typeof stored) => [each.enrolled_on, each.id]
    return this.data.program_enrollments
      .filter((each) => each.end_reason !== 'mistaken' && each.enrolled_on <= last)
      .filter((each) => each.patient_id === stored.patient_id && each.program === stored.program)
      .some((each) =>
        isDead
          ? compared(order(each), order(stored)) > 0
          : isOpen(stored) && isOpen(each) && compared(order(each), order(stored)) < 0,
      )
  }

  #state(stored: Stored<'program_enrollments'>): Row {
    const { first, last } = this.run.period
    const patient = this.data.patients.find(({ id }) => id === stored.patient_id)
    const [enrolled, ended] = [stored.enrolled_on, stored.ended_on as string | null]
    const died = patient?.died_on as string | null | undefined
    const lastQuarter = quarterOf(addDays(last, 1)) - 1
    const lmp = stored.lmp as string | null
    return {
      id: stored.id!,
      patientId: stored.patient_id!,
      visitId: null,
      clinicId: stored.clinic_id!,
      at: 0,
      day: last,
      order: [enrolled, stored.id!],
      own: {
        stored,
        'state.program': stored.program,
        'state.months_enrolled': monthOf(last) - monthOf(enrolled),
        'state.quarters_enrolled': lastQuarter - quarterOf(enrolled),
        'state.enrolled_day': enrolled,
        // someone who died later is in no figure of any month, either
        'state.dead': died ? died <= last || 'later' : false,
        'state.ended': ended !== null && ended <= last,
        'state.ended_in_period': ended !== null && ended >= first && ended <= last,
        'state.end_reason': ended !== null && ended <= last ? stored.end_reason : null,
        'state.weeks_pregnant': lmp ? Math.trunc(daysBetween(lmp, last) / 7) : null,
      },
    }
  }

  /** Days of visits of the program of a state, in the calendar months so many before the last one. */
  visitDays(row: Row, from: number, to: number): string[] {
    const counts = PROGRAMS.find(({ code }) => code === row.own['state.program'])?.counts ?? 'visit'
    const rows =
      counts === 'bp'
        ? this.all('bp')
        : counts === 'bp_or_sugar'
          ? [...this.all('bp'), ...this.all('sugars')]
          : counts === 'contact'
            ? this.all('events').filter((each) => each.own['event.concept'] === 'anc.contact')
            : counts === 'dose'
              ? this.all('doses')
              : this.all('visits')
    const last = monthOf(this.run.period.last)
    return rows
      .filter(({ patientId }) => patientId === row.patientId)
      .map(({ day }) => day)
      .filter((day) => monthOf(day) >= last - from && monthOf(day) <= last - to)
  }

  /** Of periods of one month. */
  isOverdue(row: Row): boolean {
    const stored = row.own['stored'] as Stored<'program_enrollments'>
    const patient = this.patientOf(row)
    const digits = (patient?.phone ?? '').match(/\p{Nd}/gu) ?? []
    const seen = this.visitDays(row, 11, 1).toSorted().at(-1)
    if (digits.length < 8 || seen === undefined) return false
    const start = firstOfMonth(monthOf(this.run.period.last))
    const booked = this.data.appointments
      .filter((each) => each.patient_id === row.patientId && each.status !== 'cancelled')
      .map((each) => ({ each, day: dayIn(each.timestamp!, this.run.zone) }))
      .filter(({ day }) => day > seen)
      // one that was made in the month is not yet known at its start
      .filter(({ each, day }) => day < start || each.created_at! < this.run.period.from)
    const scheduled =
      booked.length > 0
        ? booked
            .map(({ day }) => day)
            .filter((day) => day < start)
            .toSorted()
            .at(-1)
        : addDays(
            seen,
            (stored.review_days as number | null) ?? shippedDays(stored.program as string),
          )
    if (scheduled === undefined || scheduled >= start) return false
    const isKept = booked.some(
      ({ each, day }) =>
        day === scheduled &&
        (each.fulfilled_visit_id !== null || ['completed', 'checked_in'].includes(each.status!)),
    )
    const isRemoved = this.#standing().some((call) => {
      const day = dayIn(call.called_at!, this.run.zone)
      return (
        this.survivor(call.patient_id) === row.patientId &&
        call.program === row.own['state.program'] &&
        call.result === 'removed_from_overdue_list' &&
        day >= scheduled &&
        day < start
      )
    })
    return !isKept && !isRemoved
  }
}

/** Days from a visit to the next in the shipped schedule of a program. */
function shippedDays(program: string): number {
  const first = STARTER_SCHEDULES.find((one) => one.program === program)?.steps[0]
  return (first?.after === 'last_visit' && first.days) || 30
}

/** Not taken from a document of another clinic. */
const isOwnWork = ({ metadata }: { metadata?: unknown }) =>
  (metadata as { document?: unknown } | null)?.document === undefined
