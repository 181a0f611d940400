cd /tmp/w/core
for s in studies/*/study.toml; do n=$(basename $(dirname $s)); [ $n = protocols ] && continue; 
[ -s /tmp/w/prof/old-$n.ok ] || timeout 500 /tmp/w/core-old check $n --format json > /tmp/w/prof/old-$n.ok 2>&1
timeout 500 /tmp/w/core-new check $n --format json > /tmp/w/prof/new-$n.json 2>&1; cmp /tmp/w/prof/old-$n.ok /tmp/w/prof/new-$n.json && echo same $n $(wc -c < /tmp/w/prof/new-$n.json); done
echo finished
