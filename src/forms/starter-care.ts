import {
  allOf,
  choice,
  choices,
  day,
  emergency,
  files,
  from,
  longText,
  nextVisit,
  noneOf,
  note,
  number,
  oneOf,
  type OptionWords,
  starter,
  text,
  urgent,
  when,
  yesNo,
} from './starter-parts'

/** Bites: WHO position paper on rabies vaccines (2018): wash for 15 minutes. Diabetic foot: NICE NG19, see the diabetes form. */
export const wound = starter(
  'wound-care',
  ['Wound care', 'العناية بالجروح', 'Cuidado de heridas'],
  [
    'Assessment of one wound at each dressing.',
    'تقييم جرح واحد عند كل تغيير ضماد.',
    'Evaluación de una herida en cada curación.',
  ],
  [
    choice(
      'cause',
      ['Cause', 'السبب', 'Causa'],
      [
        ['injury', 'Injury', 'إصابة', 'Traumatismo'],
        ['surgery', 'Surgery', 'جراحة', 'Cirugía'],
        ['burn', 'Burn', 'حرق', 'Quemadura'],
        ['pressure', 'Pressure injury', 'قرحة ضغط', 'Lesión por presión'],
        ['diabetic', 'Diabetic foot', 'قدم سكرية', 'Pie diabético'],
        ['vein', 'Leg ulcer', 'قرحة ساق', 'Úlcera de pierna'],
        ['bite', 'Bite', 'عضّة', 'Mordedura'],
        ['other', 'Other', 'سبب آخر', 'Otra'],
      ],
    ),
    urgent(
      'bite_note',
      when('cause', 'is', 'bite'),
      'Bite: wash with soap and water for 15 minutes and assess the need for rabies and tetanus prophylaxis today.',
      'عضّة: الغسل بالماء والصابون 15 دقيقة، وتقييم الحاجة إلى الوقاية من الكلَب والكزاز اليوم.',
      'Mordedura: lave con agua y jabón durante 15 minutos y evalúe hoy si necesita profilaxis de rabia y tétanos.',
    ),
    text('place', ['Location', 'موضع الجرح', 'Localización'], { required: true }),
    day('since', ['Date of onset', 'تاريخ البدء', 'Fecha de inicio'], { days: 'past' }),
    number('length', ['Length', 'الطول', 'Largo'], { unit: 'cm', limits: { min: 0, max: 200 } }),
    number('width', ['Width', 'العرض', 'Ancho'], { unit: 'cm', limits: { min: 0, max: 200 } }),
    number('area', ['Length × width (cm²)', 'الطول × العرض (سم²)', 'Largo × ancho (cm²)'], {
      compute: from('formula', ['length', 'width'], { formula: 'a * b', decimals: 1 }),
    }),
    number('depth', ['Depth', 'العمق', 'Profundidad'], { unit: 'cm', limits: { min: 0, max: 50 } }),
    choices(
      'bed',
      ['Wound bed', 'قاع الجرح', 'Lecho de la herida'],
      [
        ['granulation', 'Red, granulating', 'أحمر محبّب', 'Rojo, de granulación'],
        ['epithelium', 'Pink, epithelializing', 'وردي في طور الالتئام', 'Rosado, epitelizando'],
        ['slough', 'Yellow slough', 'نسيج أصفر متموّت', 'Esfacelo amarillo'],
        ['necrosis', 'Black, dead tissue', 'نسيج أسود متنخّر', 'Negro, necrótico'],
        ['bone', 'Exposed bone or tendon', 'عظم أو وتر مكشوف', 'Hueso o tendón expuesto'],
      ],
    ),
    choice(
      'exudate',
      ['Exudate', 'الإفرازات (النزّ)', 'Exudado'],
      [
        ['none', 'None', 'لا يوجد', 'Ninguno'],
        ['little', 'Small', 'قليل', 'Escaso'],
        ['moderate', 'Moderate', 'متوسط', 'Moderado'],
        ['much', 'Large', 'كثير', 'Abundante'],
      ],
    ),
    choices(
      'infection',
      ['Signs of infection', 'علامات العدوى', 'Signos de infección'],
      [
        ['redness', 'Spreading redness', 'احمرار منتشر', 'Enrojecimiento que se extiende'],
        ['warmth', 'Warmth', 'سخونة', 'Calor'],
        ['swelling', 'Swelling', 'تورّم', 'Hinchazón'],
        ['pain', 'Increasing pain', 'ازدياد الألم', 'Dolor en aumento'],
        ['pus', 'Pus', 'قيح', 'Pus'],
        ['smell', 'Bad odour', 'رائحة كريهة', 'Mal olor'],
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
      ],
    ),
    urgent(
      'infection_note',
      oneOf('infection', 'fever', 'redness'),
      'Fever or spreading redness: the infection has spread beyond the wound. Decide on antibiotics and referral today.',
      'الحمّى أو الاحمرار المنتشر: تجاوزت العدوى حدود الجرح. يُتخذ اليوم قرار المضاد الحيوي والإحالة.',
      'Fiebre o enrojecimiento que se extiende: la infección se ha extendido más allá de la herida. Decida hoy antibióticos y derivación.',
    ),
    emergency(
      'diabetic_danger',
      allOf(when('cause', 'is', 'diabetic'), oneOf('infection', 'fever', 'redness')),
      'Diabetic foot with fever or spreading redness: refer immediately.',
      'قدم سكرية مع حمّى أو احمرار منتشر: الإحالة فورًا.',
      'Pie diabético con fiebre o enrojecimiento que se extiende: derive de inmediato.',
    ),
    urgent(
      'diabetic_note',
      allOf(when('cause', 'is', 'diabetic'), noneOf(oneOf('infection', 'fever', 'redness'))),
      'Diabetic foot wound: refer within 1 working day; immediately with fever, spreading redness, black tissue or no pulse.',
      'جرح قدم سكرية: الإحالة خلال يوم عمل واحد؛ وفورًا عند الحمّى أو الاحمرار المنتشر أو النسيج الأسود أو غياب النبض.',
      'Herida de pie diabético: derive en un plazo de 1 día hábil; de inmediato con fiebre, enrojecimiento que se extiende, tejido negro o ausencia de pulso.',
    ),
    number(
      'pain',
      [
        'Pain at dressing (0–10)',
        'الألم عند تغيير الضماد من 0 إلى 10',
        'Dolor durante la curación, de 0 a 10',
      ],
      {
        limits: { min: 0, max: 10 },
        normal: { max: 6 },
      },
    ),
    choice(
      'tetanus',
      ['Tetanus vaccination', 'التطعيم ضد الكزاز', 'Vacunación antitetánica'],
      [
        ['valid', 'Up to date', 'مستكمل', 'Vigente'],
        ['given', 'Given today', 'أُعطي اليوم', 'Aplicada hoy'],
        ['unknown', 'Unknown', 'غير معروف', 'Desconocida'],
      ],
    ),
    choices(
      'done',
      ['Procedures', 'الإجراءات', 'Procedimientos'],
      [
        ['cleaned', 'Cleaned', 'تنظيف', 'Limpieza'],
        ['debrided', 'Debrided', 'إزالة النسيج المتموّت', 'Desbridamiento'],
        ['sutured', 'Sutured', 'خياطة', 'Sutura'],
        ['stitches_out', 'Sutures removed', 'إزالة الغرز', 'Retiro de puntos'],
        ['drained', 'Drained', 'تصريف القيح', 'Drenaje'],
        ['compression', 'Compression', 'ضماد ضاغط', 'Compresión'],
        [
          'offloading',
          'Pressure relieved',
          'تخفيف الضغط عن الجرح',
          'Alivio de la presión (descarga)',
        ],
      ],
    ),
    text('dressing', ['Dressing', 'الضماد المستعمل', 'Apósito']),
    files('picture', ['Photo', 'صورة', 'Foto']),
    choice(
      'course',
      ['Change since last visit', 'التغيّر منذ الزيارة السابقة', 'Cambio desde la última consulta'],
      [
        ['first', 'First visit', 'الزيارة الأولى', 'Primera consulta'],
        ['better', 'Better', 'أفضل', 'Mejor'],
        ['same', 'Unchanged', 'دون تغيّر', 'Igual'],
        ['worse', 'Worse', 'تدهور', 'Peor'],
        ['closed', 'Healed', 'التأم', 'Cicatrizada'],
      ],
    ),
    longText('advice', ['Advice given', 'النصائح المقدّمة', 'Indicaciones dadas']),
    nextVisit(),
  ],
)

const HOW_OFTEN: readonly OptionWords[] = [
  ['0', 'Not at all', 'أبدًا', 'Ningún día'],
  ['1', 'Several days', 'عدة أيام', 'Varios días'],
  ['2', 'More than half the days', 'أكثر من نصف الأيام', 'Más de la mitad de los días'],
  ['3', 'Nearly every day', 'كل يوم تقريبًا', 'Casi todos los días'],
]

/** PHQ-2: Kroenke, Spitzer and Williams, The Patient Health Questionnaire-2, Med Care 2003;41:1284-92: 0 to 6, positive from 3 on. The PHQ may be reproduced without permission (Pfizer, phqscreeners.com). Thoughts of self-harm: as the triage form. */
export const phq2 = starter(
  'phq-2',
  ['PHQ-2: mood screening', 'استبيان PHQ-2: تحرّي المزاج', 'PHQ-2: tamizaje de depresión'],
  [
    'Two questions on the past two weeks.',
    'سؤالان عن الأسبوعين الماضيين.',
    'Dos preguntas sobre las dos últimas semanas.',
  ],
  [
    note('intro', [
      'Over the last two weeks, how often have you been bothered by the following?',
      'خلال الأسبوعين الماضيين، كم مرة عانيت من أي مما يلي؟',
      'Durante las últimas 2 semanas, ¿con qué frecuencia le han molestado los siguientes problemas?',
    ]),
    note('wording', [
      'The cut-off of 3 was tested with the published wording. This Arabic and Spanish wording has not been tested: judge a score near 3 with care.',
      'اختُبر الحد الفاصل 3 بالصياغة المنشورة. لم تُختبر هذه الصياغة العربية والإسبانية: تُقدَّر الدرجة القريبة من 3 بحذر.',
      'El punto de corte de 3 se probó con la redacción publicada. Esta redacción en árabe y español no se ha probado: valore con cautela una puntuación cercana a 3.',
    ]),
    choice(
      'interest',
      [
        'Little interest or pleasure in doing things',
        'قلة الاهتمام أو الاستمتاع بممارسة الأمور',
        'Poco interés o placer en hacer las cosas',
      ],
      HOW_OFTEN,
      { required: true },
    ),
    choice(
      'mood',
      [
        'Feeling down, depressed or hopeless',
        'الشعور بالحزن أو الاكتئاب أو اليأس',
        'Se ha sentido decaído(a), deprimido(a) o sin esperanzas',
      ],
      HOW_OFTEN,
      { required: true },
    ),
    number('score', ['Score (0 to 6)', 'الدرجة (0 إلى 6)', 'Puntuación (0 a 6)'], {
      normal: { max: 2 },
      compute: from('sum', ['interest', 'mood']),
    }),
    urgent(
      'positive',
      when('score', 'atLeast', 3),
      'Score of 3 or more: positive screen. Continue with the PHQ-9 or a clinical interview, and ask about thoughts of death or self-harm.',
      'الدرجة 3 أو أكثر: نتيجة التحرّي إيجابية. المتابعة باستبيان PHQ-9 أو بمقابلة سريرية، والسؤال عن أفكار الموت أو إيذاء النفس.',
      'Puntuación de 3 o más: tamizaje positivo. Continúe con el PHQ-9 o una entrevista clínica, y pregunte por ideas de muerte o de autolesión.',
    ),
    yesNo(
      'self_harm',
      [
        'Thoughts of death or self-harm',
        'أفكار عن الموت أو إيذاء النفس',
        'Ideas de muerte o de autolesión',
      ],
      {
        showIf: when('score', 'atLeast', 3),
        requiredIf: when('score', 'atLeast', 3),
      },
    ),
    emergency(
      'safety',
      when('self_harm', 'is', 'yes'),
      'Do not leave the patient alone. Assess the risk now, involve a person they trust and refer urgently.',
      'عدم ترك المريض وحده. تقييم الخطر الآن، وإشراك شخص يثق به المريض، والإحالة عاجلًا.',
      'No deje solo al paciente. Evalúe el riesgo ahora, involucre a alguien de su confianza y derive con urgencia.',
    ),
    longText('plan', [
      'Plan agreed with the patient',
      'الخطة المتفق عليها مع المريض',
      'Plan acordado con el paciente',
    ]),
    nextVisit(),
  ],
)
