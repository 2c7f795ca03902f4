import { keysIn } from '~/shared/object'
/**
 * The closed list of what a report can read: sources, and the fields of each. The SQL of a field is
 * in `sources/<source>.server.ts`.
 */
const of = {
  number: { type: 'number' },
  yes: { type: 'boolean' },
  text: { type: 'text' },
  day: { type: 'day' },
  code: { type: 'code' },
  list: { type: 'list' },
  choice: <const T extends readonly string[]>(...options: T) => ({
    type: 'choice' as const,
    options,
  }),
} as const

const patient = {
  'patient.sex': of.choice('male', 'female', 'unknown'),
  // completed months and years on the row's day; of states, on the last day of the period
  'patient.age_months': of.number,
  'patient.age_years': of.number,
  'patient.camp': of.text,
  'patient.citizenship': of.text,
  'patient.is_dead': of.yes,
  'row.day': of.day,
  'row.clinic': of.text,
} as const

const drug = {
  'row.clinic': of.text,
  // its id
  'drug.id': of.text,
  'drug.ingredients': of.list,
  'drug.name': of.text,
  'drug.route': of.text,
  'drug.form': of.text,
  // above 1: a combination
  'drug.ingredient_count': of.number,
  // of a tablet, capsule or other single unit with one active ingredient
  'drug.strength_mg': of.number,
  'drug.is_controlled': of.yes,
} as const

const visit = {
  // neither marked as a revisit nor, if unmarked, within 14 days after a visit in the same clinic
  'visit.is_new': of.yes,
  'visit.weekday': of.number,
  'visit.hour': of.number,
  'visit.has_provider': of.yes,
} as const

/** `perPatient`: rows have a patient, so that a test about a patient can ask for them. */
export const SOURCES = {
  visits: { perPatient: true, fields: { ...patient, ...visit } },
  cases: {
    perPatient: true,
    fields: {
      ...patient,
      ...visit,
      'case.code': of.code,
      // in a group of the definition
      'case.is_grouped': of.yes,
      // no case of the tested group in its `episode_days` before
      'case.is_new': of.yes,
      'case.system': of.choice('icd10', 'icd10cm', 'icd11', 'snomed', 'none'),
    },
  },
  registrations: { perPatient: true, fields: patient },
  deaths: { perPatient: true, fields: patient },
  patient_states: {
    perPatient: true,
    fields: {
      ...patient,
      'state.program': of.text,
      'state.care': of.choice('under_care', 'lost'),
      // calendar months from that of the enrolment to that of the period's end; quarters to the last that has ended
      'state.months_enrolled': of.number,
      'state.quarters_enrolled': of.number,
      'state.enrolled_day': of.day,
      // overdue at 00:00 on the first day of the period
      'state.overdue': of.yes,
      'state.dead': of.yes,
      'state.ended': of.yes,
      'state.ended_in_period': of.yes,
      'state.end_reason': of.text,
      'state.weeks_pregnant': of.number,
    },
  },
  bp: {
    perPatient: true,
    fields: { ...patient, 'bp.systolic': of.number, 'bp.diastolic': of.number },
  },
  sugars: {
    perPatient: true,
    fields: {
      ...patient,
      'sugar.kind': of.choice('fasting', 'random', 'hba1c'),
      // mg/dL; HbA1c in %
      'sugar.value': of.number,
    },
  },
  vitals: {
    perPatient: true,
    fields: {
      ...patient,
      'vital.weight_kg': of.number,
      'vital.height_cm': of.number,
      'vital.bmi': of.number,
      'vital.temperature_celsius': of.number,
      'vital.heart_rate': of.number,
      'vital.respiratory_rate': of.number,
      'vital.oxygen_saturation': of.number,
      'vital.systolic_bp': of.number,
      'vital.diastolic_bp': of.number,
    },
  },
  events: {
    perPatient: true,
    fields: {
      ...patient,
      'event.concept': of.text,
      'event.form': of.text,
      // the answer that is bound to the tested concept
      'event.number': of.number,
      'event.text': of.text,
      // whole days from the day of that answer to the event's
      'event.days_since': of.number,
      // completed weeks since the last period in the pregnancy of that day
      'event.weeks_pregnant': of.number,
    },
  },
  doses: {
    perPatient: true,
    fields: { ...patient, 'dose.vaccine': of.text, 'dose.number': of.number },
  },
  prescribed: {
    perPatient: true,
    fields: {
      ...patient,
      ...drug,
      'item.status': of.choice('active', 'completed', 'cancelled', 'partially_dispensed'),
      'item.quantity': of.number,
    },
  },
  dispensed: {
    perPatient: true,
    fields: {
      ...patient,
      ...drug,
      // negative if it reverses
      'dispensed.quantity': of.number,
      'dispensed.days_supply': of.number,
    },
  },
  movements: {
    perPatient: false,
    fields: {
      ...drug,
      'movement.type': of.choice(
        'received',
        'dispensed',
        'transferred_in',
        'transferred_out',
        'expired',
        'damaged',
        'adjustment',
        'returned',
        'to_supplier',
        'donated',
        'opened',
      ),
      'movement.reference': of.text,
      'movement.quantity': of.number,
      // what left the stock, positive
      'movement.quantity_out': of.number,
    },
  },
  stock: {
    perPatient: false,
    fields: {
      ...drug,
      // of a batch at the end of the period; usable: neither expired nor quarantined
      'stock.quantity': of.number,
      'stock.usable': of.number,
      'stock.expires_in_days': of.number,
    },
  },
  shortfalls: {
    perPatient: false,
    fields: { ...drug, 'shortfall.quantity': of.number, 'shortfall.is_open': of.yes },
  },
  appointments: {
    perPatient: true,
    fields: {
      ...patient,
      'appointment.status': of.choice(
        'pending',
        'confirmed',
        'cancelled',
        'completed',
        'checked_in',
      ),
      'appointment.is_walk_in': of.yes,
      // its day is over, and the patient did not come
      'appointment.is_missed': of.yes,
      // from the first waiting to the first call
      'appointment.wait_minutes': of.number,
    },
  },
  referrals: {
    perPatient: true,
    fields: {
      ...patient,
      'referral.status': of.choice('sent', 'seen', 'replied', 'closed'),
      'referral.urgency': of.choice('routine', 'urgent', 'emergency'),
    },
  },
  follow_ups: {
    perPatient: true,
    fields: {
      ...patient,
      'follow_up.program': of.text,
      'follow_up.schedule': of.text,
      'follow_up.step': of.text,
      'follow_up.status': of.choice('open', 'done', 'removed', 'lost', 'ended'),
      'follow_up.is_high_risk': of.yes,
    },
  },
  calls: {
    perPatient: true,
    fields: {
      ...patient,
      'call.program': of.text,
      'call.result': of.choice(
        'agreed_to_visit',
        'remind_to_call_later',
        'removed_from_overdue_list',
      ),
      'call.reason': of.text,
      'call.no_answer': of.yes,
      // the patient's first call of the program in the period
      'call.is_first': of.yes,
    },
  },
} as const satisfies Record<string, SourceSpec>

export type FieldSpec = {
  type: 'number' | 'boolean' | 'text' | 'day' | 'code' | 'list' | 'choice'
  options?: readonly string[]
}
type SourceSpec = { perPatient: boolean; fields: Readonly<Record<string, FieldSpec>> }

export type ReportSource = keyof typeof SOURCES
export type SourceFieldName<S extends ReportSource> = keyof (typeof SOURCES)[S]['fields'] & string
export const sourceNames = keysIn(SOURCES)

export const OPS = [
  'is',
  'in',
  'below',
  'atMost',
  'atLeast',
  'above',
  'has',
  'inGroup',
  'isSet',
] as const
export type Op = (typeof OPS)[number]

const compared = ['is', 'below', 'atMost', 'atLeast', 'above', 'isSet'] as const
/** What each type of field can be compared with. */
export const opsOf: Readonly<Record<FieldSpec['type'], readonly Op[]>> = {
  number: [...compared, 'in'],
  boolean: ['is'],
  text: ['is', 'in', 'isSet'],
  choice: ['is', 'in', 'isSet'],
  day: compared,
  code: ['is', 'in', 'inGroup', 'isSet'],
  list: ['has', 'isSet'],
}

export const sourceFields = (source: ReportSource): Readonly<Record<string, FieldSpec>> =>
  SOURCES[source].fields
