-- For wrk: keeps `depth` requests in flight on each connection, as wrk's own scripts/pipeline.lua does for three.
--
--   wrk … -s pipeline.lua URL -- DEPTH
init = function(args)
   local requests = {}
   for i = 1, tonumber(args[1]) do
      requests[i] = wrk.format()
   end
   all = table.concat(requests)
end

request = function()
   return all
end
