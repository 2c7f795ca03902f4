import {
  adherence,
  advice,
  allOf,
  anyOf,
  bloodPressure,
  bmi,
  choice,
  choices,
  emergency,
  from,
  heading,
  height,
  longText,
  medicines,
  nextVisit,
  noneOf,
  number,
  oneOf,
  smoking,
  starter,
  urgent,
  weight,
  when,
  yesNo,
  TEST_RESULTS,
} from './starter-parts'

/** Glucose in mg/dL, whichever unit it was measured in. 18.016: the molar mass of glucose, 180.16 g/mol. */
const glucose = (comparison: 'lessThan' | 'atLeast', mgdl: number) =>
  anyOf(when('glucose_mg', comparison, mgdl), when('glucose_converted', comparison, mgdl))
/** A value that is usual in the other unit: below 36 mg/dL, above 35 mmol/L. Until a user confirms it, it is neither low nor high. */
const isDoubtful = anyOf(when('glucose_mg', 'lessThan', 36), when('glucose_mmol', 'moreThan', 35))
const isUnsure = allOf(isDoubtful, noneOf(when('unit_sure', 'is', 'yes')))
const sure = noneOf(isUnsure)
const hasCrisis = anyOf(
  allOf(
    glucose('atLeast', 200),
    anyOf(when('ketones', 'is', 'positive'), when('high_signs', 'answered')),
  ),
  glucose('atLeast', 600),
)
const brokenSkin = oneOf('feet', 'ulcer', 'infection')
const limbInDanger = anyOf(
  when('feet', 'is', 'black'),
  allOf(brokenSkin, oneOf('feet', 'spreading', 'fever', 'pulse')),
)
const isGestational = when('type', 'is', 'gestational')

/**
 * Targets: American Diabetes Association, Standards of Care in Diabetes (2024): HbA1c below 7 %, before meals 80-130 mg/dL,
 * after meals below 180; hypoglycaemia below 70 (level 1) and below 54 (level 2), 15-20 g of glucose by mouth only for who is
 * awake, else glucagon. Gestational (section 15): fasting below 95, below 140 after 1 hour, below 120 after 2. Crises: ADA and
 * EASD consensus report, Diabetes Care 2024;47:1257-1275: ketoacidosis from 200 mg/dL with ketones, hyperosmolar state from
 * 600. Feet: NICE NG19: limb-threatening problems immediately, every other active problem within 1 working day, a hot swollen
 * foot may be acute Charcot arthropathy; the passage:
 * https://gpnotebook.com/en-GB/pages/diabetes-and-endocrinology/referral-criteria-from-primary-care-diabetic-diabetes-foot
 * Spreading redness: https://www.health.qld.gov.au/cpc/diabetes-and-endocrinology/high-risk-foot2 Eyes and kidneys: WHO, HEARTS-D (2020).
 */
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
        ['after1', '1 hour after a meal', 'بعد الطعام بساعة', '1 hora después de comer'],
        ['after', '2 hours after a meal', 'بعد الطعام بساعتين', '2 horas después de comer'],
      ],
    ),
    choice(
      'unit',
      ['Unit on the glucose meter', 'الوحدة على جهاز قياس السكر', 'Unidad del glucómetro'],
      [
        ['mg', 'mg/dL', 'ملغ/دل (mg/dL)', 'mg/dL'],
        ['mmol', 'mmol/L', 'ميلي مول/ل (mmol/L)', 'mmol/L'],
      ],
    ),
    number('glucose_mg', ['Glucose (mg/dL)', 'سكر الدم (ملغ/دل)', 'Glucosa (mg/dL)'], {
      limits: { min: 1, max: 1500 },
      showIf: when('unit', 'is', 'mg'),
    }),
    number('glucose_mmol', ['Glucose (mmol/L)', 'سكر الدم (ميلي مول/ل)', 'Glucosa (mmol/L)'], {
      limits: { min: 0.1, max: 85 },
      showIf: when('unit', 'is', 'mmol'),
    }),
    number(
      'glucose_converted',
      ['Glucose in mg/dL', 'سكر الدم محوّلًا إلى ملغ/دل', 'Glucosa en mg/dL'],
      {
        showIf: when('unit', 'is', 'mmol'),
        compute: from('formula', ['glucose_mmol'], { formula: 'a * 18.016' }),
      },
    ),
    yesNo(
      'unit_sure',
      [
        'The meter really shows this unit',
        'الجهاز يعرض هذه الوحدة فعلًا',
        'El glucómetro muestra realmente esta unidad',
      ],
      {
        hint: [
          'If not, choose the other unit above.',
          'إن لم يكن كذلك، تُختار الوحدة الأخرى أعلاه.',
          'Si no, elija arriba la otra unidad.',
        ],
        showIf: isDoubtful,
        requiredIf: isDoubtful,
        refuseIf: when('unit_sure', 'is', 'no'),
      },
    ),
    emergency(
      'unit_note',
      isUnsure,
      'Check the unit: this value is usual in the other unit (15 mmol/L is 270 mg/dL). Look at the meter before you treat; a drowsy patient: measure again now.',
      'التحقق من الوحدة: هذه القيمة معتادة في الوحدة الأخرى (15 ميلي مول/ل تعادل 270 ملغ/دل). النظر إلى الجهاز قبل العلاج؛ وإذا كان المريض ميالًا إلى النوم، إعادة القياس الآن.',
      'Revise la unidad: este valor es habitual en la otra unidad (15 mmol/L son 270 mg/dL). Mire el glucómetro antes de tratar; si el paciente está somnoliento, mida de nuevo ahora.',
    ),
    emergency(
      'hypo_severe',
      allOf(glucose('lessThan', 54), sure),
      'Below 54 mg/dL (3.0 mmol/L). Awake and able to swallow: 15–20 g of sugar now, measure again after 15 minutes. Not awake: nothing by mouth; glucagon by injection or glucose into a vein, and refer now.',
      'أقل من 54 ملغ/دل (3.0 ميلي مول/ل). إذا كان واعيًا وقادرًا على البلع: من 15 إلى 20 غ من السكر الآن وإعادة القياس بعد 15 دقيقة. إذا لم يكن واعيًا: لا شيء بالفم؛ غلوكاغون حقنًا أو غلوكوز في الوريد، والإحالة فورًا.',
      'Menos de 54 mg/dL (3.0 mmol/L). Despierto y capaz de tragar: 15–20 g de azúcar ahora y mida de nuevo a los 15 minutos. No despierto: nada por la boca; glucagón inyectable o glucosa en vena, y derive ahora.',
    ),
    urgent(
      'hypo_note',
      allOf(glucose('lessThan', 70), glucose('atLeast', 54)),
      'Below 70 mg/dL (3.9 mmol/L). Awake and able to swallow: 15–20 g of sugar now, measure again after 15 minutes. Not awake: nothing by mouth; glucagon by injection or glucose into a vein, and refer now.',
      'أقل من 70 ملغ/دل (3.9 ميلي مول/ل). إذا كان واعيًا وقادرًا على البلع: من 15 إلى 20 غ من السكر الآن وإعادة القياس بعد 15 دقيقة. إذا لم يكن واعيًا: لا شيء بالفم؛ غلوكاغون حقنًا أو غلوكوز في الوريد، والإحالة فورًا.',
      'Menos de 70 mg/dL (3.9 mmol/L). Despierto y capaz de tragar: 15–20 g de azúcar ahora y mida de nuevo a los 15 minutos. No despierto: nada por la boca; glucagón inyectable o glucosa en vena, y derive ahora.',
    ),
    choice(
      'ketones',
      ['Ketones (urine or blood)', 'الكيتون (في البول أو الدم)', 'Cetonas (orina o sangre)'],
      TEST_RESULTS,
      { showIf: allOf(glucose('atLeast', 200), sure) },
    ),
    choices(
      'high_signs',
      ['Signs with high glucose', 'علامات مع ارتفاع السكر', 'Signos con glucosa alta'],
      [
        ['vomiting', 'Vomiting or abdominal pain', 'قيء أو ألم بطني', 'Vómitos o dolor abdominal'],
        ['drowsy', 'Drowsy or confused', 'ميل إلى النوم أو تخليط', 'Somnolencia o confusión'],
        ['breathing', 'Deep, fast breathing', 'تنفّس عميق وسريع', 'Respiración profunda y rápida'],
        ['dry', 'Dehydrated', 'جفاف', 'Deshidratación'],
      ],
      { showIf: allOf(glucose('atLeast', 200), sure) },
    ),
    emergency(
      'crisis_note',
      allOf(hasCrisis, sure),
      'Possible ketoacidosis or hyperosmolar state (ketones or these signs from 200 mg/dL, or 600 mg/dL and above): begin fluids and refer now.',
      'احتمال حماض كيتوني أو حالة فرط الأسمولية (كيتون أو هذه العلامات من 200 ملغ/دل، أو 600 ملغ/دل فأكثر): بدء السوائل والإحالة فورًا.',
      'Posible cetoacidosis o estado hiperosmolar (cetonas o estos signos desde 200 mg/dL, o 600 mg/dL o más): inicie líquidos y derive ahora.',
    ),
    urgent(
      'high_note',
      allOf(glucose('atLeast', 300), sure, noneOf(hasCrisis)),
      '300 mg/dL (16.7 mmol/L) or more: test for ketones and look for vomiting, drowsiness, deep breathing and dehydration. With any of them: refer now. Without: correct the treatment today.',
      '300 ملغ/دل (16.7 ميلي مول/ل) أو أكثر: فحص الكيتون والبحث عن القيء والميل إلى النوم والتنفّس العميق والجفاف. عند وجود أي منها: الإحالة فورًا. وإلا: تصحيح العلاج اليوم.',
      '300 mg/dL (16.7 mmol/L) o más: busque cetonas, vómitos, somnolencia, respiración profunda y deshidratación. Con alguno: derive ahora. Sin ellos: ajuste el tratamiento hoy.',
    ),
    advice(
      'target_gestational',
      allOf(
        isGestational,
        anyOf(
          allOf(when('measured', 'is', 'fasting'), glucose('atLeast', 95)),
          allOf(when('measured', 'is', 'after1'), glucose('atLeast', 140)),
          allOf(when('measured', 'is', 'after'), glucose('atLeast', 120)),
        ),
        sure,
      ),
      'Above the target in pregnancy (mg/dL: fasting below 95, below 140 after 1 hour, below 120 after 2 hours): review diet and treatment.',
      'أعلى من الهدف في الحمل (ملغ/دل: على الريق أقل من 95، وبعد ساعة أقل من 140، وبعد ساعتين أقل من 120): مراجعة الحمية والعلاج.',
      'Por encima de la meta del embarazo (mg/dL: en ayunas menos de 95, menos de 140 a 1 hora, menos de 120 a 2 horas): revise la dieta y el tratamiento.',
    ),
    advice(
      'target_note',
      allOf(
        noneOf(isGestational),
        anyOf(
          allOf(when('measured', 'is', 'fasting'), glucose('atLeast', 131)),
          allOf(oneOf('measured', 'after', 'after1'), glucose('atLeast', 180)),
        ),
        sure,
      ),
      'Above the usual target (mg/dL: fasting 80–130, after meals below 180): review adherence, diet and treatment.',
      'أعلى من الهدف المعتاد (ملغ/دل: على الريق 80–130، وبعد الطعام أقل من 180): مراجعة الالتزام والحمية والعلاج.',
      'Por encima de la meta habitual (mg/dL: en ayunas 80–130, después de comer menos de 180): revise la adherencia, la dieta y el tratamiento.',
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
        ['spreading', 'Spreading redness', 'احمرار منتشر', 'Enrojecimiento que se extiende'],
        ['black', 'Black skin (gangrene)', 'جلد أسود (غرغرينا)', 'Piel negra (gangrena)'],
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
        ['hot_swollen', 'Hot, swollen foot', 'قدم حارّة متورّمة', 'Pie caliente e hinchado'],
        ['normal', 'None of these', 'لا شيء مما سبق', 'Ninguno de los anteriores'],
      ],
    ),
    emergency(
      'feet_danger',
      limbInDanger,
      'Foot in danger (black skin, or an ulcer or infection with spreading redness, fever or absent pulse): refer immediately.',
      'القدم في خطر (جلد أسود، أو قرحة أو عدوى مع احمرار منتشر أو حمّى أو غياب النبض): الإحالة فورًا.',
      'Pie en peligro (piel negra, o úlcera o infección con enrojecimiento que se extiende, fiebre o pulso ausente): derive de inmediato.',
    ),
    urgent(
      'feet_note',
      allOf(anyOf(brokenSkin, when('feet', 'is', 'hot_swollen')), noneOf(limbInDanger)),
      'Ulcer, infection, or a hot swollen foot (possible Charcot foot): take the weight off, dress it, and refer within 1 working day; immediately with fever, spreading redness, black skin or no pulse.',
      'قرحة أو عدوى أو قدم حارّة متورّمة (احتمال قدم شاركو): رفع الضغط عن القدم وتضميدها والإحالة خلال يوم عمل واحد؛ وفورًا عند الحمّى أو الاحمرار المنتشر أو الجلد الأسود أو غياب النبض.',
      'Úlcera, infección o pie caliente e hinchado (posible pie de Charcot): quite la carga, haga la curación y derive en un plazo de 1 día hábil; de inmediato con fiebre, enrojecimiento que se extiende, piel negra o ausencia de pulso.',
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
        [
          'site',
          'Injection-site reaction',
          'تفاعل في موضع الحقن',
          'Reacción en el sitio de inyección',
        ],
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
