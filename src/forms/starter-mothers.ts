import {
  anyOf,
  bloodPressure,
  choice,
  choices,
  day,
  from,
  heading,
  longText,
  medicines,
  nextVisit,
  note,
  number,
  starter,
  temperature,
  weight,
  when,
  yesNo,
  TEST_RESULTS,
} from './starter-parts'

/** WHO recommendations on antenatal care for a positive pregnancy experience (2016). Haemoglobin: WHO guideline on cutoffs to define anaemia (2024). Fetal heart rate: FIGO consensus on intrapartum monitoring (2015). */
export const antenatal = starter(
  'antenatal-visit',
  ['Antenatal visit', 'زيارة متابعة الحمل', 'Control prenatal'],
  [
    'Assessment at each visit during pregnancy.',
    'التقييم في كل زيارة خلال الحمل.',
    'Evaluación en cada consulta durante el embarazo.',
  ],
  [
    day(
      'lmp',
      ['First day of last menstrual period', 'أول يوم من آخر دورة شهرية', 'Primer día de la última menstruación (FUM)'],
      {
        days: 'past',
      },
    ),
    number('weeks', ['Gestational age (weeks)', 'عمر الحمل (أسابيع)', 'Edad gestacional (semanas)'], {
      compute: from('gestationalWeeks', ['lmp']),
    }),
    day('due', ['Estimated due date', 'موعد الولادة المتوقع', 'Fecha probable de parto'], {
      compute: from('dueDate', ['lmp']),
    }),
    number(
      'gravida',
      [
        'Number of pregnancies (including this one)',
        'عدد مرات الحمل (بما فيها هذا الحمل)',
        'Número de embarazos (incluido el actual)',
      ],
      {
        limits: { min: 1, max: 25 },
      },
    ),
    number(
      'para',
      ['Number of births after 20 weeks', 'عدد الولادات بعد 20 أسبوعًا', 'Número de partos después de las 20 semanas'],
      {
        limits: { min: 0, max: 25 },
      },
    ),
    choices(
      'danger',
      ['Danger signs', 'علامات الخطر', 'Signos de peligro'],
      [
        ['bleeding', 'Vaginal bleeding', 'نزف مهبلي', 'Sangrado vaginal'],
        ['headache', 'Severe headache or blurred vision', 'صداع شديد أو تشوّش رؤية', 'Cefalea intensa o visión borrosa'],
        ['convulsion', 'Convulsion', 'اختلاج (تشنّج)', 'Convulsión'],
        ['abdominal_pain', 'Severe abdominal pain', 'ألم بطني شديد', 'Dolor abdominal intenso'],
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
        ['fluid', 'Leaking fluid from the vagina', 'نزول ماء من المهبل', 'Pérdida de líquido por la vagina'],
        ['movements', 'Reduced fetal movement', 'قلّة حركة الجنين', 'Disminución de los movimientos fetales'],
        ['breathless', 'Breathing difficulty', 'صعوبة تنفّس', 'Dificultad para respirar'],
      ],
    ),
    note(
      'danger_note',
      [
        'Danger sign: examine now and refer without delay.',
        'علامة خطر: فحص الحامل الآن وإحالتها دون تأخير.',
        'Signo de peligro: examine ahora y derive sin demora.',
      ],
      { showIf: when('danger', 'answered') },
    ),
    heading('mother', ['Mother', 'الأم', 'Madre']),
    ...bloodPressure(),
    note(
      'pressure_note',
      [
        'Blood pressure of 140/90 or more: measure again after 15 minutes and test the urine for protein.',
        'ضغط الدم 140/90 أو أكثر: إعادة القياس بعد 15 دقيقة وفحص البروتين في البول.',
        'Presión arterial de 140/90 o más: mida de nuevo a los 15 minutos y busque proteína en la orina.',
      ],
      { showIf: anyOf(when('systolic', 'atLeast', 140), when('diastolic', 'atLeast', 90)) },
    ),
    weight(),
    choice(
      'protein',
      ['Urine protein', 'البروتين في البول', 'Proteína en orina'],
      [
        ['0', 'None', 'لا يوجد', 'Ausente'],
        ['trace', 'Trace', 'آثار', 'Trazas'],
        ['1', '+', '+', '+'],
        ['2', '++', '++', '++'],
        ['3', '+++', '+++', '+++'],
      ],
    ),
    number('haemoglobin', ['Haemoglobin (g/dL)', 'الهيموغلوبين (غ/دل)', 'Hemoglobina (g/dL)'], {
      limits: { min: 2, max: 25 },
      normal: { min: 10.5 },
    }),
    choice('hiv', ['HIV test', 'فحص فيروس نقص المناعة (HIV)', 'Prueba de VIH'], TEST_RESULTS),
    choice('syphilis', ['Syphilis test', 'فحص الزهري', 'Prueba de sífilis'], TEST_RESULTS),
    choice('hepatitis', ['Hepatitis B test', 'فحص التهاب الكبد ب', 'Prueba de hepatitis B'], TEST_RESULTS),
    heading('baby', ['Baby', 'الجنين', 'Bebé'], { showIf: when('weeks', 'atLeast', 12) }),
    number('fundal', ['Fundal height', 'ارتفاع قاع الرحم', 'Altura uterina'], {
      unit: 'cm',
      limits: { min: 5, max: 60 },
      showIf: when('weeks', 'atLeast', 20),
    }),
    number('heart', ['Fetal heart rate', 'نبض الجنين', 'Frecuencia cardíaca fetal'], {
      unit: 'BPM',
      limits: { min: 30, max: 260 },
      normal: { min: 110, max: 160 },
      showIf: when('weeks', 'atLeast', 12),
    }),
    choice(
      'presentation',
      ['Presentation', 'المجيء', 'Presentación'],
      [
        ['head', 'Cephalic', 'رأسي', 'Cefálica'],
        ['breech', 'Breech', 'مقعدي', 'Podálica'],
        ['transverse', 'Transverse', 'معترض', 'Transversa'],
        ['unsure', 'Not sure', 'غير مؤكّد', 'No se sabe'],
      ],
      { showIf: when('weeks', 'atLeast', 36) },
    ),
    heading('care', ['Care given', 'الرعاية المقدّمة', 'Atención prestada']),
    choices(
      'given',
      ['Given today', 'أُعطي اليوم', 'Administrado o entregado hoy'],
      [
        ['iron', 'Iron and folic acid', 'حديد وحمض الفوليك', 'Hierro y ácido fólico'],
        ['calcium', 'Calcium', 'كالسيوم', 'Calcio'],
        ['tetanus', 'Tetanus vaccine', 'لقاح الكزاز', 'Vacuna antitetánica'],
        [
          'deworming',
          'Deworming (from 13 weeks)',
          'علاج الديدان (من الأسبوع 13)',
          'Desparasitación (a partir de las 13 semanas)',
        ],
        ['net', 'Insecticide-treated bed net', 'ناموسية معالجة بمبيد الحشرات', 'Mosquitero tratado con insecticida'],
      ],
    ),
    medicines(),
    yesNo('plan', ['Birth plan discussed', 'نوقشت خطة الولادة', 'Se conversó sobre el plan de parto']),
    longText('notes', ['Notes', 'ملاحظات', 'Notas']),
    nextVisit(),
  ],
)

/** WHO recommendations on maternal and newborn care for a positive postnatal experience (2022). The two questions on mood are Whooley's (J Gen Intern Med 1997). */
export const postnatal = starter(
  'postnatal-visit',
  ['Postnatal visit', 'زيارة بعد الولادة', 'Control posparto'],
  [
    'Mother and baby in the weeks after birth.',
    'الأم والمولود في الأسابيع التالية للولادة.',
    'Madre y bebé en las semanas posteriores al parto.',
  ],
  [
    day('born', ['Date of birth', 'يوم الولادة', 'Fecha del parto'], { required: true, days: 'past' }),
    choice(
      'mode',
      ['Mode of delivery', 'نوع الولادة', 'Tipo de parto'],
      [
        ['vaginal', 'Vaginal', 'طبيعية', 'Vaginal'],
        ['assisted', 'Vacuum or forceps', 'بالمحجم أو الملقط', 'Ventosa o fórceps'],
        ['caesarean', 'Caesarean section', 'قيصرية', 'Cesárea'],
      ],
    ),
    heading('mother', ['Mother', 'الأم', 'Madre']),
    choices(
      'mother_danger',
      ['Maternal danger signs', 'علامات الخطر عند الأم', 'Signos de peligro de la madre'],
      [
        ['bleeding', 'Heavy bleeding', 'نزف غزير', 'Sangrado abundante'],
        ['fever', 'Fever or foul discharge', 'حمّى أو إفرازات كريهة', 'Fiebre o flujo maloliente'],
        [
          'headache',
          'Severe headache, blurred vision or convulsion',
          'صداع شديد أو تشوّش رؤية أو اختلاج (تشنّج)',
          'Cefalea intensa, visión borrosa o convulsión',
        ],
        [
          'breathless',
          'Breathing difficulty or chest pain',
          'صعوبة تنفّس أو ألم صدري',
          'Dificultad respiratoria o dolor torácico',
        ],
        ['leg', 'Swelling and pain in one leg', 'تورّم وألم في ساق واحدة', 'Hinchazón y dolor en una pierna'],
      ],
    ),
    ...bloodPressure(),
    temperature(),
    choice(
      'breasts',
      ['Breasts', 'الثديان', 'Mamas'],
      [
        ['normal', 'Normal', 'طبيعيان', 'Normales'],
        ['engorged', 'Engorged', 'احتقان', 'Ingurgitación'],
        ['cracked', 'Cracked nipples', 'تشقّق الحلمتين', 'Grietas del pezón'],
        ['mastitis', 'Mastitis', 'التهاب', 'Mastitis'],
      ],
    ),
    yesNo('low', [
      'In the past month: often down, depressed or hopeless?',
      'خلال الشهر الماضي: هل شعرتِ كثيرًا بالحزن أو الاكتئاب أو اليأس؟',
      'En el último mes: ¿se sintió a menudo triste, deprimida o sin esperanza?',
    ]),
    yesNo('no_interest', [
      'In the past month: often little interest or pleasure?',
      'خلال الشهر الماضي: هل قلّ اهتمامك أو استمتاعك كثيرًا؟',
      'En el último mes: ¿tuvo a menudo poco interés o placer en hacer las cosas?',
    ]),
    note(
      'mood_note',
      [
        '“Yes” to either question: discuss it today and screen for depression.',
        'الإجابة بنعم عن أي من السؤالين: التحدث معها اليوم وتحرّي الاكتئاب.',
        '«Sí» a cualquiera de las dos preguntas: converse hoy con ella y haga tamizaje de depresión.',
      ],
      { showIf: anyOf(when('low', 'is', 'yes'), when('no_interest', 'is', 'yes')) },
    ),
    yesNo('family_planning', ['Family planning discussed', 'نوقش تنظيم الأسرة', 'Se habló de planificación familiar']),
    heading('baby', ['Baby', 'المولود', 'Bebé']),
    choices(
      'baby_danger',
      ['Newborn danger signs', 'علامات الخطر عند المولود', 'Signos de peligro del recién nacido'],
      [
        ['feeding', 'Not feeding well', 'لا يرضع جيدًا', 'No se alimenta bien'],
        ['convulsion', 'Convulsion', 'اختلاج (تشنّج)', 'Convulsión'],
        [
          'fast',
          'Respiratory rate of 60 or more',
          'تنفّس 60 أو أكثر في الدقيقة',
          'Frecuencia respiratoria de 60 o más por minuto',
        ],
        ['indrawing', 'Severe chest indrawing', 'انسحاب صدري شديد', 'Tiraje subcostal grave'],
        [
          'still',
          'Moves only when stimulated, or not at all',
          'لا يتحرك إلا عند اللمس أو لا يتحرك',
          'Se mueve solo cuando se lo estimula, o no se mueve',
        ],
        [
          'hot_cold',
          'Temperature below 35.5 °C, or 37.5 °C or more',
          'أقل من 35.5 °م، أو 37.5 °م فأكثر',
          'Temperatura menor de 35.5 °C, o de 37.5 °C o más',
        ],
        ['jaundice', 'Yellow palms or soles', 'اصفرار الراحتين أو الأخمصين', 'Palmas o plantas amarillas'],
      ],
    ),
    note(
      'danger_note',
      [
        'Danger sign: refer urgently, and keep the baby warm and feeding on the way.',
        'علامة خطر: إحالة عاجلة مع تدفئة المولود وإرضاعه في الطريق.',
        'Signo de peligro: derive con urgencia; mantenga al bebé abrigado y alimentado durante el traslado.',
      ],
      { showIf: anyOf(when('mother_danger', 'answered'), when('baby_danger', 'answered')) },
    ),
    number('baby_weight', ['Baby’s weight', 'وزن المولود', 'Peso del bebé'], {
      unit: 'kg',
      limits: { min: 0.3, max: 15 },
      normal: { min: 2.5 },
    }),
    choice(
      'feeding',
      ['Feeding', 'التغذية', 'Alimentación'],
      [
        ['breast', 'Exclusive breastfeeding', 'حليب الأم فقط', 'Lactancia materna exclusiva'],
        ['mixed', 'Mixed feeding', 'حليب الأم مع غيره', 'Alimentación mixta'],
        ['other', 'No breast milk', 'دون حليب الأم', 'Sin leche materna'],
      ],
    ),
    choice(
      'cord',
      ['Cord', 'السرّة', 'Cordón umbilical'],
      [
        ['clean', 'Clean and dry', 'نظيفة وجافة', 'Limpio y seco'],
        ['red', 'Redness or pus', 'احمرار أو قيح', 'Enrojecimiento o pus'],
        ['off', 'Separated', 'سقط الحبل', 'Desprendido'],
      ],
    ),
    choices(
      'vaccines',
      ['Vaccines given', 'اللقاحات المعطاة', 'Vacunas aplicadas'],
      [
        ['bcg', 'BCG', 'BCG (السل)', 'BCG'],
        ['hepb', 'Hepatitis B, birth dose', 'التهاب الكبد ب، جرعة الولادة', 'Hepatitis B, dosis al nacer'],
        ['opv', 'Polio, birth dose', 'شلل الأطفال، جرعة الولادة', 'Polio, dosis al nacer'],
      ],
    ),
    longText('notes', ['Notes', 'ملاحظات', 'Notas']),
    nextVisit(),
  ],
)
