import { record } from './record'

/** The fields of the form depend on the units that are typed: `features/care/vitals/vital.ts` makes them. */
export const vitalRecord = record('patient_vitals', {
  patient_id: { device: 'id' },
  visit_id: { device: 'id?' },
  event_id: { device: 'id?' },
  // the completed form that recorded the values
  form_event_id: {},
  timestamp: { device: 'moment' },
  systolic_bp: { device: 'number?' },
  diastolic_bp: { device: 'number?' },
  bp_position: { device: 'text?' },
  height_cm: { device: 'number?' },
  weight_kg: { device: 'number?' },
  bmi: { device: 'number?' },
  waist_circumference_cm: { device: 'number?' },
  heart_rate: { device: 'number?' },
  pulse_rate: { device: 'number?' },
  oxygen_saturation: { device: 'number?' },
  respiratory_rate: { device: 'number?' },
  temperature_celsius: { device: 'number?' },
  pain_level: { device: 'number?' },
  // phones do not know these three
  creatinine_umol_l: {},
  head_circumference_cm: {},
  arm_circumference_cm: {},
  recorded_by_user_id: { device: 'id?' },
  // the user whose phone sent it; phones do not know it
  sent_by_user_id: {},
  metadata: { device: 'json' },
})
