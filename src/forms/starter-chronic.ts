import {
  adherence,
  anyOf,
  bloodPressure,
  bmi,
  choice,
  choices,
  from,
  heading,
  height,
  longText,
  medicines,
  nextVisit,
  note,
  number,
  smoking,
  starter,
  weight,
  when,
  yesNo,
} from './starter-parts'

/** Targets: American Diabetes Association, Standards of Care in Diabetes (2024): HbA1c below 7 %, fasting 80-130 mg/dL; below 70 mg/dL is hypoglycaemia. Feet, eyes and kidneys: WHO, HEARTS-D (2020). */
export const diabetes = starter(
  'diabetes-follow-up',
  ['Diabetes follow-up', 'متابعة السكري', 'Control de diabetes'],
  [
    'Glucose, feet, eyes, kidneys and treatment.',
    'سكر الدم والقدمان والعينان والكليتان والعلاج.',
    'Glucosa, pies, ojos, riñones y tratamiento.',
  ],
  [
    choice(
      'type',
      ['Type', 'النوع', 'Tipo'],
      [
        ['1', 'Type 1', 'النوع الأول', 'Tipo 1'],
        ['2', 'Type 2', 'النوع الثاني', 'Tipo 2'],
        ['gestational', 'Gestational', 'سكري الحمل', 'Gestacional'],
        ['other', 'Other', 'آخر', 'Otro'],
      ],
    ),
    choice(
      'measured',
      ['Timing of glucose measurement', 'توقيت قياس السكر', 'Momento de la medición de glucosa'],
      [
        ['fasting', 'Fasting', 'على الريق (صائم)', 'En ayunas'],
        ['random', 'Random', 'في أي وقت', 'A cualquier hora'],
        ['after', '2 hours after a meal', 'بعد الطعام بساعتين', '2 horas después de comer'],
      ],
    ),
    number('fasting', ['Fasting glucose', 'سكر الدم الصيامي', 'Glucosa en ayunas'], {
      unit: 'mg/dL',
      limits: { min: 10, max: 1500 },
      normal: { min: 80, max: 130 },
      showIf: when('measured', 'is', 'fasting'),
    }),
    number('random', ['Glucose', 'سكر الدم', 'Glucosa'], {
      unit: 'mg/dL',
      limits: { min: 10, max: 1500 },
      normal: { min: 70, max: 180 },
      showIf: anyOf(when('measured', 'is', 'random'), when('measured', 'is', 'after')),
    }),
    note(
      'hypo_note',
      [
        'Below 70 mg/dL: give 15–20 g of sugar now and measure again after 15 minutes.',
        'أقل من 70 ملغ/دل: إعطاء من 15 إلى 20 غ من السكر الآن وإعادة القياس بعد 15 دقيقة.',
        'Menos de 70 mg/dL: dé 15–20 g de azúcar ahora y mida de nuevo a los 15 minutos.',
      ],
      { showIf: anyOf(when('fasting', 'lessThan', 70), when('random', 'lessThan', 70)) },
    ),
    number('hba1c', ['HbA1c', 'الخضاب السكري HbA1c', 'HbA1c'], {
      unit: '%',
      limits: { min: 3, max: 20 },
      normal: { max: 6.9 },
    }),
    yesNo('hypos', [
      'Hypoglycaemia since the last visit',
      'نوبات نقص سكر منذ آخر زيارة',
      'Hipoglucemias desde la última consulta',
    ]),
    number('hypo_count', ['Number of episodes', 'عدد النوبات', 'Número de episodios'], {
      limits: { min: 1, max: 500 },
      showIf: when('hypos', 'is', 'yes'),
    }),
    ...bloodPressure(),
    weight(),
    height(),
    bmi(),
    heading('feet_heading', ['Feet', 'القدمان', 'Pies']),
    choices(
      'feet',
      [
        'Foot examination, both feet (shoes and socks off)',
        'فحص القدمين كلتيهما (دون حذاء وجوارب)',
        'Examen de ambos pies (sin zapatos ni medias)',
      ],
      [
        [
          'numb',
          'Loss of sensation (10 g monofilament)',
          'فقد الإحساس (خيط الفحص الأحادي 10 غ)',
          'Pérdida de sensibilidad (monofilamento de 10 g)',
        ],
        ['pulse', 'Absent pulses', 'غياب النبض', 'Pulsos ausentes'],
        ['deformity', 'Deformity', 'تشوّه', 'Deformidad'],
        ['callus', 'Callus or fissure', 'تصلّب أو تشقّق', 'Callos o grietas'],
        ['ulcer', 'Ulcer', 'قرحة', 'Úlcera'],
        ['infection', 'Infection', 'عدوى', 'Infección'],
        ['normal', 'None of these', 'لا شيء مما سبق', 'Ninguno de los anteriores'],
      ],
    ),
    note(
      'feet_note',
      [
        'Ulcer or infection: off-load, dress and refer within days; refer immediately if there is fever or spreading redness.',
        'قرحة أو عدوى: تخفيف الضغط عن القدم وتضميدها والإحالة خلال أيام؛ والإحالة فورًا عند وجود حمّى أو احمرار منتشر.',
        'Úlcera o infección: alivie la presión del pie, haga la curación y derive en pocos días; derive de inmediato si hay fiebre o enrojecimiento que se extiende.',
      ],
      { showIf: anyOf(when('feet', 'is', 'ulcer'), when('feet', 'is', 'infection')) },
    ),
    heading('organs', [
      'Eyes and kidneys (yearly)',
      'العينان والكليتان، مرة كل سنة',
      'Ojos y riñones (una vez al año)',
    ]),
    choice(
      'eyes',
      ['Eye examination', 'فحص العينين', 'Examen de ojos'],
      [
        ['normal', 'Normal', 'طبيعي', 'Normal'],
        ['retinopathy', 'Retinopathy', 'اعتلال شبكية', 'Retinopatía'],
        ['due', 'Due', 'حان موعده', 'Pendiente'],
        ['done', 'Done in the past year', 'أُجري خلال السنة الماضية', 'Hecho en el último año'],
      ],
    ),
    choice(
      'albumin',
      ['Urine protein', 'البروتين في البول', 'Proteína en orina'],
      [
        ['none', 'None', 'لا يوجد', 'Ausente'],
        ['present', 'Positive', 'موجود', 'Presente'],
        ['due', 'Due', 'حان موعده', 'Pendiente'],
      ],
    ),
    number('creatinine', ['Creatinine', 'الكرياتينين', 'Creatinina'], {
      unit: 'mg/dL',
      limits: { min: 0.1, max: 30 },
      normal: { max: 1.3 },
    }),
    heading('treatment', ['Treatment', 'العلاج', 'Tratamiento']),
    adherence(),
    choices(
      'side_effects',
      ['Side effects', 'آثار جانبية', 'Efectos secundarios'],
      [
        ['stomach', 'Gastrointestinal upset', 'اضطراب هضمي', 'Molestias digestivas'],
        ['hypo', 'Hypoglycaemia', 'نقص سكر', 'Hipoglucemia'],
        ['weight', 'Weight gain', 'زيادة وزن', 'Aumento de peso'],
        ['site', 'Injection-site reaction', 'تفاعل في موضع الحقن', 'Reacción en el sitio de inyección'],
      ],
    ),
    smoking(),
    medicines(),
    longText('goals', [
      'Plan agreed with the patient',
      'الخطة المتفق عليها مع المريض',
      'Plan acordado con el paciente',
    ]),
    nextVisit(),
  ],
)

/** WHO, Guideline for the pharmacological treatment of hypertension in adults (2021): target below 140/90, 130 systolic with cardiovascular disease; crisis from 180/120 on (AHA 2017). Mean of two readings: WHO HEARTS (2018). */
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
    number('systolic1', ['First reading, systolic', 'القراءة الأولى، الانقباضي', 'Primera toma, sistólica'], {
      unit: 'mmHg',
      required: true,
      limits: { min: 30, max: 300 },
    }),
    number('diastolic1', ['First reading, diastolic', 'القراءة الأولى، الانبساطي', 'Primera toma, diastólica'], {
      unit: 'mmHg',
      required: true,
      limits: { min: 10, max: 200 },
    }),
    number('systolic2', ['Second reading, systolic', 'القراءة الثانية، الانقباضي', 'Segunda toma, sistólica'], {
      unit: 'mmHg',
      limits: { min: 30, max: 300 },
    }),
    number('diastolic2', ['Second reading, diastolic', 'القراءة الثانية، الانبساطي', 'Segunda toma, diastólica'], {
      unit: 'mmHg',
      limits: { min: 10, max: 200 },
    }),
    number('systolic', ['Mean systolic', 'متوسط الضغط الانقباضي', 'Sistólica media'], {
      unit: 'mmHg',
      normal: { min: 90, max: 139 },
      compute: from('formula', ['systolic1', 'systolic2'], { formula: '(a + b) / 2' }),
    }),
    number('diastolic', ['Mean diastolic', 'متوسط الضغط الانبساطي', 'Diastólica media'], {
      unit: 'mmHg',
      normal: { min: 50, max: 89 },
      compute: from('formula', ['diastolic1', 'diastolic2'], { formula: '(a + b) / 2' }),
    }),
    note(
      'crisis',
      [
        '180/120 or more: check now for headache, blurred vision, chest pain, breathlessness and weakness. If any is present, treat as an emergency.',
        '180/120 أو أكثر: البحث الآن عن صداع أو تشوّش رؤية أو ألم صدري أو ضيق تنفّس أو ضعف. إذا وُجد أي منها فالحالة طارئة.',
        '180/120 o más: busque ahora cefalea, visión borrosa, dolor torácico, disnea y debilidad. Si hay alguno, trate como emergencia.',
      ],
      {
        showIf: anyOf(
          when('systolic1', 'atLeast', 180),
          when('diastolic1', 'atLeast', 120),
          when('systolic2', 'atLeast', 180),
          when('diastolic2', 'atLeast', 120),
        ),
      },
    ),
    number('pulse', ['Pulse', 'النبض', 'Pulso'], {
      unit: 'BPM',
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
