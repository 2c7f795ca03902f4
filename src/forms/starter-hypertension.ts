import {
  adherence,
  advice,
  allOf,
  anyOf,
  bmi,
  choice,
  choices,
  emergency,
  from,
  height,
  longText,
  medicines,
  nextVisit,
  noneOf,
  note,
  number,
  oneOf,
  smoking,
  starter,
  urgent,
  weight,
  when,
  yesNo,
} from './starter-parts'

const readings = ['systolic1', 'systolic2', 'diastolic1', 'diastolic2'] as const
const isCrisis = anyOf(
  ...readings.map((id) => when(id, 'atLeast', id.startsWith('systolic') ? 180 : 120)),
)
const alarm = oneOf('symptoms', 'headache', 'vision', 'chest_pain', 'breathless', 'weakness')
const isUncontrolled = anyOf(when('systolic', 'atLeast', 140), when('diastolic', 'atLeast', 90))
const mayBePregnant = noneOf(when('__sex__', 'is', 'male'))

/**
 * WHO, Guideline for the pharmacological treatment of hypertension in adults (2021): target below 140/90, below 130 systolic
 * with cardiovascular disease, suggested with diabetes or kidney disease; crisis from 180/120 on (AHA 2017). Mean of two
 * readings, and no ACE inhibitor or ARB for a woman who is or could become pregnant: WHO HEARTS (2018, WHO/NMH/NVI/18.2).
 */
export const hypertension = starter(
  'hypertension-follow-up',
  ['Hypertension follow-up', 'متابعة ارتفاع ضغط الدم', 'Control de hipertensión'],
  [
    'Two readings, cardiovascular risk and treatment.',
    'قراءتان والخطورة القلبية الوعائية والعلاج.',
    'Dos tomas, riesgo cardiovascular y tratamiento.',
  ],
  [
    note('how', [
      'Patient seated for 5 minutes, back and arm supported, not talking. Take two readings one minute apart.',
      'المريض جالس منذ 5 دقائق، الظهر والذراع مسنودان، دون كلام. تؤخذ قراءتان بينهما دقيقة واحدة.',
      'Paciente sentado durante 5 minutos, con la espalda y el brazo apoyados, sin hablar. Haga dos tomas con un minuto de diferencia.',
    ]),
    number(
      'systolic1',
      ['First reading, systolic', 'القراءة الأولى، الانقباضي', 'Primera toma, sistólica'],
      {
        unit: 'mmHg',
        required: true,
        limits: { min: 30, max: 300 },
        normal: { min: 90, max: 139 },
      },
    ),
    number(
      'diastolic1',
      ['First reading, diastolic', 'القراءة الأولى، الانبساطي', 'Primera toma, diastólica'],
      {
        unit: 'mmHg',
        required: true,
        limits: { min: 10, max: 200 },
        normal: { min: 50, max: 89 },
      },
    ),
    number(
      'systolic2',
      ['Second reading, systolic', 'القراءة الثانية، الانقباضي', 'Segunda toma, sistólica'],
      {
        unit: 'mmHg',
        limits: { min: 30, max: 300 },
      },
    ),
    number(
      'diastolic2',
      ['Second reading, diastolic', 'القراءة الثانية، الانبساطي', 'Segunda toma, diastólica'],
      {
        unit: 'mmHg',
        limits: { min: 10, max: 200 },
      },
    ),
    number('systolic', ['Mean systolic', 'متوسط الضغط الانقباضي', 'Sistólica media'], {
      unit: 'mmHg',
      vital: 'systolic_bp',
      normal: { min: 90, max: 139 },
      compute: from('mean', ['systolic1', 'systolic2']),
    }),
    number('diastolic', ['Mean diastolic', 'متوسط الضغط الانبساطي', 'Diastólica media'], {
      unit: 'mmHg',
      vital: 'diastolic_bp',
      normal: { min: 50, max: 89 },
      compute: from('mean', ['diastolic1', 'diastolic2']),
    }),
    number('pulse', ['Pulse', 'النبض', 'Pulso'], {
      unit: 'BPM',
      vital: 'pulse_rate',
      limits: { min: 20, max: 250 },
      normal: { min: 60, max: 100 },
    }),
    choices(
      'symptoms',
      ['Symptoms', 'أعراض', 'Síntomas'],
      [
        ['headache', 'Headache', 'صداع', 'Dolor de cabeza'],
        ['vision', 'Blurred vision', 'تشوّش رؤية', 'Visión borrosa'],
        ['chest_pain', 'Chest pain', 'ألم صدري', 'Dolor torácico'],
        ['breathless', 'Breathlessness', 'ضيق تنفّس', 'Disnea'],
        ['swelling', 'Leg swelling', 'تورّم الساقين', 'Piernas hinchadas'],
        ['dizzy', 'Dizziness on standing', 'دوخة عند الوقوف', 'Mareo al ponerse de pie'],
        ['weakness', 'Weakness on one side', 'ضعف في جانب واحد', 'Debilidad de un lado'],
      ],
    ),
    emergency(
      'crisis',
      allOf(isCrisis, alarm),
      '180/120 or more with headache, blurred vision, chest pain, breathlessness or weakness: hypertensive emergency. Treat now and refer immediately.',
      '180/120 أو أكثر مع صداع أو تشوّش رؤية أو ألم صدري أو ضيق تنفّس أو ضعف: ارتفاع ضغط إسعافي. العلاج الآن والإحالة فورًا.',
      '180/120 o más con cefalea, visión borrosa, dolor torácico, disnea o debilidad: emergencia hipertensiva. Trate ahora y derive de inmediato.',
    ),
    urgent(
      'crisis_silent',
      allOf(isCrisis, noneOf(alarm)),
      '180/120 or more: check now for headache, blurred vision, chest pain, breathlessness and weakness. None of them: treat today and see again within days.',
      '180/120 أو أكثر: البحث الآن عن صداع أو تشوّش رؤية أو ألم صدري أو ضيق تنفّس أو ضعف. إن لم يوجد أي منها: العلاج اليوم والمراجعة خلال أيام.',
      '180/120 o más: busque ahora cefalea, visión borrosa, dolor torácico, disnea y debilidad. Sin ninguno: trate hoy y vuelva a verlo en pocos días.',
    ),
    advice(
      'uncontrolled',
      allOf(isUncontrolled, noneOf(isCrisis)),
      '140/90 or more: check adherence and salt, repeat the measurement, and begin or step up treatment by the local protocol.',
      '140/90 أو أكثر: مراجعة الالتزام بالدواء والملح، وإعادة القياس، وبدء العلاج أو زيادته وفق البروتوكول المحلي.',
      '140/90 o más: revise la adherencia y la sal, repita la medición e inicie o intensifique el tratamiento según el protocolo local.',
    ),
    choices(
      'risk',
      ['Comorbidities', 'أمراض مرافقة', 'Enfermedades asociadas'],
      [
        ['diabetes', 'Diabetes', 'سكري', 'Diabetes'],
        ['heart', 'Heart disease', 'مرض قلبي', 'Cardiopatía'],
        ['stroke', 'Stroke', 'سكتة دماغية', 'ACV'],
        ['kidney', 'Kidney disease', 'مرض كلوي', 'Enfermedad renal'],
        ['cholesterol', 'High cholesterol', 'ارتفاع الكولسترول', 'Colesterol alto'],
      ],
    ),
    advice(
      'target_130',
      allOf(
        when('systolic', 'atLeast', 130),
        oneOf('risk', 'heart', 'stroke', 'diabetes', 'kidney'),
        noneOf(isUncontrolled, isCrisis),
      ),
      'With heart disease, stroke, diabetes or kidney disease the target is below 130 systolic: consider stepping up treatment.',
      'مع مرض قلبي أو سكتة دماغية أو سكري أو مرض كلوي، الهدف أقل من 130 للضغط الانقباضي: التفكير في زيادة العلاج.',
      'Con cardiopatía, ACV, diabetes o enfermedad renal la meta es menos de 130 de sistólica: considere intensificar el tratamiento.',
    ),
    choices(
      'drug_classes',
      ['Blood pressure medicines taken', 'أدوية الضغط التي يتناولها', 'Antihipertensivos que toma'],
      [
        ['acei', 'ACE inhibitor or ARB', 'مثبط ACE أو حاصر مستقبلات الأنجيوتنسين', 'IECA o ARA II'],
        ['ccb', 'Calcium channel blocker', 'حاصر قنوات الكالسيوم', 'Antagonista del calcio'],
        ['diuretic', 'Diuretic', 'مدرّ للبول', 'Diurético'],
        ['beta', 'Beta-blocker', 'حاصر بيتا', 'Betabloqueante'],
        ['other', 'Other', 'دواء آخر', 'Otro'],
        ['none', 'None', 'لا شيء', 'Ninguno'],
      ],
    ),
    choice(
      'pregnant',
      [
        'Pregnant, or could become pregnant',
        'حامل أو قد تحمل',
        'Embarazada o podría quedar embarazada',
      ],
      [
        ['yes', 'Yes', 'نعم', 'Sí'],
        ['no', 'No', 'لا', 'No'],
        ['unknown', 'Not known', 'غير معروف', 'No se sabe'],
      ],
      {
        showIf: allOf(
          mayBePregnant,
          when('__age_years__', 'atLeast', 12),
          when('__age_years__', 'lessThan', 50),
        ),
      },
    ),
    urgent(
      'acei_pregnancy',
      allOf(when('drug_classes', 'is', 'acei'), when('pregnant', 'is', 'yes')),
      'An ACE inhibitor or ARB harms the unborn child: stop it and change to a medicine that is safe in pregnancy.',
      'مثبط ACE أو حاصر مستقبلات الأنجيوتنسين يضرّ الجنين: إيقافه والانتقال إلى دواء آمن في الحمل.',
      'Un IECA o ARA II daña al feto: suspéndalo y cambie a un medicamento seguro en el embarazo.',
    ),
    number('potassium', ['Potassium', 'البوتاسيوم', 'Potasio'], {
      unit: 'mmol/L',
      limits: { min: 1, max: 12 },
    }),
    number('creatinine', ['Creatinine', 'الكرياتينين', 'Creatinina'], {
      unit: 'mg/dL',
      limits: { min: 0.1, max: 30 },
      normal: { max: 1.3 },
    }),
    weight(),
    height(),
    bmi(),
    smoking(),
    yesNo('salt', ['Low-salt diet', 'حمية قليلة الملح', 'Dieta baja en sal']),
    number(
      'activity',
      [
        'Days per week with 30 minutes of physical activity',
        'عدد الأيام في الأسبوع التي فيها 30 دقيقة من النشاط البدني',
        'Días por semana con 30 minutos de actividad física',
      ],
      { limits: { min: 0, max: 7 } },
    ),
    adherence(),
    choices(
      'side_effects',
      ['Side effects', 'آثار جانبية', 'Efectos secundarios'],
      [
        ['cough', 'Dry cough', 'سعال جاف', 'Tos seca'],
        ['ankles', 'Ankle swelling', 'تورّم الكاحلين', 'Tobillos hinchados'],
        ['dizzy', 'Dizziness', 'دوخة', 'Mareo'],
        ['urination', 'Frequent urination', 'تبوّل متكرر', 'Micción frecuente'],
      ],
    ),
    medicines(),
    longText('plan', ['Plan', 'الخطة', 'Plan']),
    nextVisit(),
  ],
)
